#!/usr/bin/env python3
"""Converts public sets of long dialogues to the format that `lucca eval dialogues` reads.

    python laboratory/scripts/convert_dialogues.py realmem RealMemBench/dataset out/realmem
    python laboratory/scripts/convert_dialogues.py beam BEAM/chats/100K out/beam
    python laboratory/scripts/convert_dialogues.py longmemeval longmemeval_s.json out/longmemeval
    python laboratory/scripts/convert_dialogues.py lifebench LifeBench/life_bench_data/data_en out/lifebench
    python laboratory/scripts/convert_dialogues.py madial MADial-Bench/data/en out/madial
    python laboratory/scripts/convert_dialogues.py engrama engramabench/datasets/full_v1 out/engrama
    python laboratory/scripts/convert_dialogues.py friendsqa FriendsQA/dat out/friendsqa
    python laboratory/scripts/convert_dialogues.py molweni 'Molweni/MRC(withDiscourse)/test.json' out/molweni

The sets are not part of this project: RealMem (AvatarMemory/RealMemBench, Apache-2.0), BEAM (mohammadtavakoli78/BEAM,
CC BY-SA 4.0), LongMemEval (xiaowu0162/LongMemEval, MIT), LifeBench (1754955896/LifeBench, Apache-2.0),
MADial-Bench (hejunqing/MADial-Bench, MIT), EngramaBench (julianacunadc/engramabench, MIT),
FriendsQA (emorynlp/FriendsQA, Apache-2.0), Molweni (HIT-SCIR/Molweni, Apache-2.0).
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

Sample = dict[str, Any]


def realmem(source: Path) -> Iterator[Sample]:
    """Converts RealMem to one sample for each persona.

    A query knows only earlier sessions. Its evidence is where the memories that its answer used were first said.
    """
    for file in sorted(source.glob('*_dialogues_*.json')):
        sessions = json.loads(file.read_text(encoding='utf-8'))['dialogues']
        said_at: dict[tuple[str, str], str] = {}
        for number, session in enumerate(sessions, 1):
            texts = [turn['content'] for turn in session['dialogue_turns']]
            for memory in session['extracted_memory']:
                if (place := _turn_of(memory, texts)) is not None:
                    said_at[session['session_uuid'], str(memory['content'])] = f'D{number}:{place + 1}'
        questions = []
        for number, session in enumerate(sessions, 1):
            turns = session['dialogue_turns']
            for turn, answer in pairwise(turns):
                used = (answer.get('memory_used') or []) if turn.get('is_query') else []
                names = [said_at.get((memory['session_uuid'], str(memory['content']))) for memory in used]
                evidence = sorted({name for name in names if name and int(name[1:].split(':')[0]) < number})
                if evidence:
                    question = {'question': turn['content'], 'evidence': evidence, 'before': number}
                    questions.append({**question, 'kind': turn.get('category_name', 'other')})
        yield _sample(
            file.name.split('_dialogues_')[0],
            [
                (
                    session['current_time'].split(' ')[0],
                    [(turn['speaker'], turn['content']) for turn in session['dialogue_turns']],
                )
                for session in sessions
            ],
            questions,
        )


def beam(source: Path) -> Iterator[Sample]:
    """Converts BEAM to one sample for each chat.

    A session begins where the text has a new date. Questions for summaries, and those without an answer, are left out.
    """
    for folder in sorted((path for path in source.iterdir() if path.is_dir()), key=lambda path: int(path.name)):
        batches = json.loads((folder / 'chat.json').read_text(encoding='utf-8'))
        sessions: list[tuple[str, list[tuple[str, str]]]] = []
        names: dict[int, str] = {}
        day = '2024-01-01'
        for batch in batches:
            sessions.append((day, []))
            for turn in (turn for turns in batch['turns'] for turn in turns):
                if turn.get('time_anchor'):
                    day = datetime.strptime(turn['time_anchor'], '%B-%d-%Y').strftime('%Y-%m-%d')
                    if sessions[-1][1]:
                        sessions.append((day, []))
                    sessions[-1] = (day, sessions[-1][1])
                sessions[-1][1].append((turn['role'], turn['content'].split('->->')[0].strip()))
                names[turn['id']] = f'D{len(sessions)}:{len(sessions[-1][1])}'
        asked = json.loads((folder / 'probing_questions' / 'probing_questions.json').read_text(encoding='utf-8'))
        questions = []
        for kind, entries in asked.items():
            for entry in entries if kind not in ('abstention', 'summarization') else ():
                sources = entry.get('source_chat_ids') or []
                old = sources.get('original_info', []) if isinstance(sources, dict) else []
                question = {'question': entry['question'], 'kind': kind, 'evidence': _named(sources, names)}
                questions.append({**question, 'outdated': _named(old, names)} if old else question)
        yield _sample(f'beam {folder.name}', sessions, questions)


def longmemeval(source: Path) -> Iterator[Sample]:
    """Converts LongMemEval to one sample for each question.

    The evidence is the turns marked with `has_answer`. For an update, all of them are outdated except those of the
    newest session.
    """
    for entry in json.loads(source.read_text(encoding='utf-8')):
        order = sorted(range(len(entry['haystack_dates'])), key=lambda at: entry['haystack_dates'][at])
        sessions = [(entry['haystack_dates'][at], entry['haystack_sessions'][at]) for at in order]
        evidence = [
            f'D{number}:{place}'
            for number, (_, turns) in enumerate(sessions, 1)
            for place, turn in enumerate(turns, 1)
            if turn.get('has_answer')
        ]
        kind = entry['question_type']
        question = {'question': entry['question'], 'kind': kind, 'evidence': evidence}
        if kind == 'knowledge-update' and evidence:
            newest = evidence[-1].split(':')[0]
            question['outdated'] = [name for name in evidence if name.split(':')[0] != newest]
        said = [(date, [(turn['role'], turn['content']) for turn in turns]) for date, turns in sessions]
        yield _sample(entry['question_id'], said, [] if entry['question_id'].endswith('_abs') else [question])


def lifebench(source: Path) -> Iterator[Sample]:
    """Converts LifeBench to one sample for each person: messages, notes, appointments, notifications and photos of a
    year.

    Each day is a session. Talks with an assistant are left out, because the evidence does not name the turns of a talk.
    """
    for folder in sorted(path for path in source.iterdir() if (path / 'QA' / 'QA_clean.json').is_file()):
        asked = json.loads((folder / 'QA' / 'QA_clean.json').read_text(encoding='utf-8'))
        persona = json.loads((folder / 'persona.json').read_text(encoding='utf-8'))
        name = (persona[0] if isinstance(persona, list) else persona)['name']
        said = []
        for kind, line_of in _LINES.items():
            for entry in json.loads((folder / 'phone_data' / f'{kind}.json').read_text(encoding='utf-8')):
                said.append((entry['datetime'], kind, str(entry['phone_id']), *line_of(name, entry)))
        said.sort()
        sessions: list[tuple[str, list[tuple[str, str]]]] = []
        names: dict[tuple[str, str], str] = {}
        for time, kind, number, speaker, text in said:
            if not sessions or sessions[-1][0] != time[:10]:
                sessions.append((time[:10], []))
            sessions[-1][1].append((speaker, text))
            names[kind, number] = f'D{len(sessions)}:{len(sessions[-1][1])}'
        questions = []
        for entry in asked:
            places = [(item['type'], str(item['id'])) for item in entry.get('evidence') or ()]
            evidence = sorted({names[place] for place in places if place in names})
            if evidence and all(place in names for place in places):
                questions.append({'question': entry['question'], 'kind': entry['question_type'], 'evidence': evidence})
        yield _sample(name, sessions, questions)


def madial(source: Path) -> Iterator[Sample]:
    """Converts MADial-Bench to one sample for each user.

    Each memory of a user is a session with one line in the third person. A question is everything that the user says
    before the assistant first speaks of a memory.
    """
    memories = [
        (item['time'], number, item['event']) for row in _rows(source, 'memory') for number, item in row.items()
    ]
    dialogues = _rows(source, 'dialogue')
    for user in ('Bart', 'Lisa'):
        said = sorted(memory for memory in memories if user in memory[2])
        names = {number: f'D{place}:1' for place, (_, number, _) in enumerate(said, 1)}
        questions = []
        for entry in dialogues:
            lines = [text.strip() for text in entry['dialogue'][: entry['test-turn'][0]]]
            message = ' '.join(text.split('>', 1)[1].strip(': "') for text in lines if text.startswith(f'<{user}>'))
            evidence = sorted(names[number] for number in map(str, entry['relevant-id']) if number in names)
            if message and evidence:
                questions.append({'question': message, 'evidence': evidence})
        yield _sample(user, [(time, [('user', event)]) for time, _, event in said], questions)


def engrama(source: Path) -> Iterator[Sample]:
    """Converts EngramaBench to one sample for each persona, with the questions that have evidence."""
    asked = json.loads((source / 'queries.json').read_text(encoding='utf-8'))
    talks = json.loads((source / 'conversations.json').read_text(encoding='utf-8'))
    for persona in sorted({talk['persona_id'] for talk in talks}):
        own = sorted(
            (talk for talk in talks if talk['persona_id'] == persona),
            key=lambda talk: (talk['timestamp'], talk['conversation_id']),
        )
        names = {
            message['message_id']: f'D{number}:{place}'
            for number, talk in enumerate(own, 1)
            for place, message in enumerate(talk['messages'], 1)
        }
        questions = []
        for entry in asked:
            evidence = sorted(names[number] for number in entry['evidence_message_ids'] if number in names)
            if entry['persona_id'] == persona and evidence:
                questions.append({'question': entry['question'], 'kind': entry['task_family'], 'evidence': evidence})
        said = [
            (talk['timestamp'], [(message['role'], message['content']) for message in talk['messages']]) for talk in own
        ]
        yield _sample(f'engrama {persona}', said, questions)


def friendsqa(source: Path) -> Iterator[Sample]:
    """Converts FriendsQA to one sample for each episode, whose scenes are the sessions, a day each.

    The evidence of a question is the lines that hold its answers. Words from nobody are spoken by the narrator.
    """
    scenes = {
        entry['title']: entry['paragraphs'][0]
        for file in sorted(source.glob('friendsqa_*.json'))
        for entry in json.loads(file.read_text(encoding='utf-8'))['data']
    }
    for episode in sorted({title.rsplit('_', 1)[0] for title in scenes}):
        said, questions = [], []
        for number, title in enumerate((each for each in sorted(scenes) if each.startswith(f'{episode}_')), 1):
            lines = [
                (' and '.join(line['speakers']) or 'narrator', line['utterance'])
                for line in scenes[title]['utterances:']
            ]
            said.append(((datetime(2000, 1, 1) + timedelta(number)).strftime('%Y-%m-%d'), lines))
            for entry in scenes[title]['qas']:
                places = {answer['utterance_id'] + 1 for answer in entry['answers']}
                evidence = [f'D{number}:{place}' for place in sorted(places)]
                questions.append({'question': entry['question'], 'evidence': evidence})
        yield _sample(f'friends {episode}', said, questions)


def molweni(source: Path) -> Iterator[Sample]:
    """Converts Molweni to one sample, whose sessions are the dialogues, a day each.

    The evidence of a question is the lines that hold its answers. The dialogues are cut from one chat and overlap: one
    with a line of an earlier one is left out.
    """
    said: list[tuple[str, list[tuple[str, str]]]] = []
    questions: list[Sample] = []
    seen: set[tuple[str, str]] = set()
    for dialogue in json.loads(source.read_text(encoding='utf-8'))['data']['dialogues']:
        lines = [(line['speaker'], line['text']) for line in dialogue['edus']]
        if seen.isdisjoint(lines):
            said.append(((datetime(2000, 1, 1) + timedelta(len(said) + 1)).strftime('%Y-%m-%d'), lines))
            evidence: dict[str, set[str]] = {}
            for entry in dialogue['qas']:
                for answer in entry['answers']:
                    place = _line_at(lines, answer['answer_start'])
                    evidence.setdefault(entry['question'], set()).add(f'D{len(said)}:{place + 1}')
            questions += [{'question': text, 'evidence': sorted(names)} for text, names in evidence.items()]
        seen.update(lines)
    yield _sample('molweni', said, questions)


def _line_at(lines: Sequence[tuple[str, str]], start: int) -> int:
    """The line that holds a character of the text "speaker: line speaker: line ..."."""
    ends = accumulate(len(f'{speaker}: {text} ') for speaker, text in lines)
    return next(place for place, end in enumerate(ends) if start < end)


def _rows(source: Path, name: str) -> list[Any]:
    text = (source / f'MADial-Bench-en-{name}.json').read_text(encoding='utf-8')
    return [json.loads(line) for line in text.splitlines() if line.strip()]


_LINES: dict[str, Callable[[str, Any], tuple[str, str]]] = {
    'sms': lambda name, item: (
        name if item['message_type'] == 'Send' else item['contactName'],
        item['message_content'],
    ),
    'note': lambda name, item: (name, f'{item["title"]}: {item["content"]}'),
    'calendar': lambda name, item: (name, f'{item["title"]}: {item["description"]}'),
    # Some messages have no title.
    'push': lambda name, item: (item['source'], f'{item.get("title", "")}: {item["content"]}'.removeprefix(': ')),
    'photo': lambda name, item: (name, f'[photo] {item["caption"]}'),
}
"""Speaker and text of each kind of entry in a phone."""


def _turn_of(memory: Any, texts: Sequence[str]) -> int | None:
    """The turn from which a memory was taken: it begins like the memory's copy, and is nearest to the turn it names."""
    beginning = (memory.get('source_content_snapshot') or '')[:60] if isinstance(memory, dict) else ''
    places = [place for place, text in enumerate(texts) if beginning and text.startswith(beginning)]
    if places:
        return min(places, key=lambda place: abs(place + 1 - int(memory['source_turn'])))
    return None


def _named(ids: Any, names: dict[int, str]) -> list[str]:
    """The names of the lines with chat ids, which are a number, a list, or lists by name."""
    if isinstance(ids, dict):
        ids = list(ids.values())
    if isinstance(ids, list):
        return sorted({name for item in ids for name in _named(item, names)})
    return [names[int(ids)]] if str(ids).isdigit() and int(ids) in names else []


def _sample(
    name: str, sessions: Sequence[tuple[str, Sequence[tuple[str, str]]]], questions: Sequence[Sample]
) -> Sample:
    conversation: Sample = {}
    for number, (date, turns) in enumerate(sessions, 1):
        conversation[f'session_{number}_date_time'] = date
        conversation[f'session_{number}'] = [
            {'dia_id': f'D{number}:{place}', 'speaker': speaker, 'text': text}
            for place, (speaker, text) in enumerate(turns, 1)
        ]
    return {'sample_id': name, 'conversation': conversation, 'qa': list(questions)}


FORMS = {
    'realmem': realmem,
    'beam': beam,
    'longmemeval': longmemeval,
    'lifebench': lifebench,
    'madial': madial,
    'engrama': engrama,
    'friendsqa': friendsqa,
    'molweni': molweni,
}


def main() -> None:
    """Writes one file for each sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('form', choices=FORMS)
    parser.add_argument('source', type=Path, help='file or folder of the set')
    parser.add_argument('out', type=Path, help='folder for the converted files')
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for sample in FORMS[given.form](given.source):
        file = given.out / f'{sample["sample_id"].replace(" ", "_")}.json'
        file.write_text(json.dumps(sample, ensure_ascii=False), encoding='utf-8')


if __name__ == '__main__':
    main()
