"""`lucca eval dialogues` on made-up talks with an assistant, and the converters of public sets."""

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_lab.dialogues.places import places_taken
from lucca_lab.dialogues.run import SHIPPED, evaluate
from lucca_lab.dialogues.scoring import above_outdated
from lucca_lab.locomo.data import LocomoQuestion, load_dialogues
from lucca_lab.locomo.replay import in_order
from lucca_lab.locomo.scoring import Ranked
from lucca_memory.embedding.embedder import NoEmbedder

SCRIPT = Path(__file__).parents[3] / 'laboratory' / 'scripts' / 'convert_dialogues.py'


@pytest.fixture(scope='module')
def converters():
    spec = importlib.util.spec_from_file_location('convert_dialogues', SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _talk(*sessions, qa):
    conversation = {}
    for number, (date, said) in enumerate(sessions, 1):
        conversation[f'session_{number}_date_time'] = date
        conversation[f'session_{number}'] = [
            {'dia_id': f'S{number}-{at}', 'speaker': who, 'text': text} for at, (who, text) in enumerate(said)
        ]
    return {'sample_id': '5', 'conversation': conversation, 'qa': qa}


TALK = _talk(
    ('2023-05-08', [('user', 'My gym opens at 5 in the morning.'), ('assistant', 'That is early.')]),
    ('2023-06-01', [('user', 'I bought a red bicycle.'), ('assistant', 'Enjoy the bicycle!')]),
    ('9:00 am on 2 July, 2023', [('user', 'My gym opens at 7 in the morning.'), ('assistant', 'Sleep well.')]),
    qa=[
        {'question': 'When does my gym open?', 'kind': 'update', 'evidence': ['S1-0', 'S3-0'], 'outdated': ['S1-0']},
        {'question': 'When does my gym open?', 'kind': 'early', 'evidence': ['S1-0'], 'before': 2},
        {'question': 'What did I buy?', 'evidence': ['S2-0']},
    ],
)


@pytest.fixture
def data(tmp_path):
    (tmp_path / 'talk.json').write_text(json.dumps(TALK))
    return tmp_path


def test_optional_fields_are_read(data):
    [dialogue] = load_dialogues(data)
    update, early, bought = dialogue.questions
    assert dialogue.with_assistant
    assert (update.kind, update.current, update.outdated) == ('update', {'S3-0'}, {'S1-0'})
    assert (early.before, bought.kind) == (2, 'other')


def test_a_question_is_asked_before_the_sessions_that_it_must_not_know(data):
    [dialogue] = load_dialogues(data)
    order = [([line.dia_id for line in lines], [asked.kind for asked in due]) for lines, due in in_order(dialogue)]
    assert order == [
        ([], []),
        (['S1-0', 'S1-1'], ['early']),
        (['S2-0', 'S2-1'], []),
        (['S3-0', 'S3-1'], ['update', 'other']),
    ]
    early = evaluate([dialogue], NoEmbedder()).ranked[SHIPPED][0]
    assert set(early.dia_ids) == {'S1-0', 'S1-1'}


@pytest.mark.parametrize(
    ('found', 'above'),
    [(('b', 'a'), 1.0), (('a', 'b'), 0.0), (('b',), 1.0), (('a',), 0.0), ((), 0.0)],
)
def test_an_update_is_above_if_it_is_found_before_what_it_replaced(found, above):
    asked = LocomoQuestion('?', 0, frozenset('ab'), outdated=frozenset('a'))
    assert above_outdated([Ranked('x', asked, found)]) == [above]


def test_what_takes_the_places_of_missed_evidence_is_counted(data):
    [dialogue] = load_dialogues(data)
    asked = LocomoQuestion('?', 0, frozenset(['S1-0', 'S2-0']), outdated=frozenset(['S1-1']))
    ranked = [Ranked('5', asked, ('S2-0', 'S1-1', 'S3-0')), Ranked('5', asked, ('S1-0', 'S2-0', 'S3-1'))]
    assert places_taken(ranked, {'5': dialogue}) == {
        'questions': 1,
        'missed': 1,
        'missed_openings': 1,
        'missed_of_the_assistant': 0,
        'taken': 2,
        'taken_by_the_same_session': 1,
        'taken_by_newer': 1,
        'taken_by_openings': 1,
        'taken_by_the_assistant': 1,
        'taken_by_outdated': 1,
    }


def test_the_command_prints_shares_with_intervals_beside_plain_retrievers(data, tmp_path):
    out = tmp_path / 'rankings.jsonl'
    arguments = ['eval', 'dialogues', '--data', str(data), '--embedding', 'none', '--json', '--rankings', str(out)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert (figures['questions'], figures['updates'], figures['recall_at_10']) == (3, 1, 1.0)
    assert set(figures['by_kind']) == {'update', 'early', 'other'}
    assert figures['baselines']['bm25']['recall_at_10'] == 1.0
    assert len(out.read_text().splitlines()) == 3
    table = CliRunner().invoke(app, arguments[:-3])
    assert 'as shipped' in table.output


def test_realmem_is_converted_with_the_turn_that_a_used_memory_was_taken_from(converters, tmp_path):
    memory = {'content': 'likes tea', 'source_content_snapshot': 'I like tea.', 'source_turn': 1}
    sessions = [
        {'session_uuid': 'u1', 'current_time': '2025-12-15 (Monday)', 'extracted_memory': [memory]},
        {'session_uuid': 'u2', 'current_time': '2025-12-16 (Tuesday)', 'extracted_memory': []},
    ]
    sessions[0]['dialogue_turns'] = [{'speaker': 'User', 'content': 'I like tea.', 'is_query': False}]
    sessions[1]['dialogue_turns'] = [
        {'speaker': 'User', 'content': 'What to drink?', 'is_query': True, 'category_name': 'Preference'},
        {'speaker': 'Assistant', 'content': 'Tea.', 'memory_used': [{'session_uuid': 'u1', 'content': 'likes tea'}]},
    ]
    (tmp_path / 'Ann_dialogues_1k.json').write_text(json.dumps({'dialogues': sessions}))
    [sample] = converters.realmem(tmp_path)
    expected = {'question': 'What to drink?', 'evidence': ['D1:1'], 'before': 2, 'kind': 'Preference'}
    assert sample['qa'] == [expected]
    assert sample['conversation']['session_2_date_time'] == '2025-12-16'


def test_beam_is_converted_with_what_an_update_replaced(converters, tmp_path):
    turns = [
        [{'role': 'user', 'id': 0, 'content': '5 km. ->-> 1,1', 'time_anchor': 'March-15-2024'}],
        [{'role': 'user', 'id': 1, 'content': '7 km.', 'time_anchor': 'April-05-2024'}],
    ]
    asked = {'question': 'How far?', 'source_chat_ids': {'original_info': [0], 'updated_info': [1]}}
    (tmp_path / '1' / 'probing_questions').mkdir(parents=True)
    (tmp_path / '1' / 'chat.json').write_text(json.dumps([{'turns': turns}]))
    (tmp_path / '1' / 'probing_questions' / 'probing_questions.json').write_text(
        json.dumps({'knowledge_update': [asked], 'summarization': [{'question': 'All?', 'source_chat_ids': [0]}]})
    )
    [sample] = converters.beam(tmp_path)
    [question] = sample['qa']
    assert (question['evidence'], question['outdated']) == (['D1:1', 'D2:1'], ['D1:1'])
    assert sample['conversation']['session_1'][0]['text'] == '5 km.'
    assert sample['conversation']['session_2_date_time'] == '2024-04-05'


def test_longmemeval_is_converted_in_the_order_of_its_dates(converters, tmp_path):
    entry = {
        'question_id': 'q1',
        'question_type': 'knowledge-update',
        'question': 'Where do I live?',
        'haystack_dates': ['2023/05/02 (Tue) 10:00', '2023/05/01 (Mon) 10:00'],
        'haystack_sessions': [
            [{'role': 'user', 'content': 'Now Kiel.', 'has_answer': True}],
            [{'role': 'user', 'content': 'Bonn.', 'has_answer': True}],
        ],
    }
    file = tmp_path / 'set.json'
    file.write_text(json.dumps([entry]))
    [sample] = converters.longmemeval(file)
    assert sample['qa'][0]['outdated'] == ['D1:1']
    assert sample['conversation']['session_2'][0]['text'] == 'Now Kiel.'
    (tmp_path / 'folder').mkdir()
    (tmp_path / 'folder' / 'one.json').write_text(json.dumps(sample))
    assert load_dialogues(tmp_path / 'folder')[0].end.isoformat() == '2023-05-02T10:00:00+00:00'


def test_lifebench_is_a_session_a_day_of_what_is_in_a_phone(converters, tmp_path):
    phone = tmp_path / 'ana' / 'phone_data'
    (tmp_path / 'ana' / 'QA').mkdir(parents=True)
    phone.mkdir()
    (tmp_path / 'ana' / 'persona.json').write_text(json.dumps({'name': 'Ana Kim'}))
    files = {
        'sms': [_entry(0, 2, message_type='Send', contactName='Bo', message_content='I am late.')],
        'note': [_entry(4, 1, title='Boat', content='It is red.')],
        'calendar': [_entry(0, 3, title='Dentist', description='At ten.')],
        'push': [
            _entry(0, 4, title='Rain', content='All day.', source='Weather'),
            _entry(1, 5, content='Two new messages.', source='Mail'),
        ],
        'photo': [],
    }
    for name, entries in files.items():
        (phone / f'{name}.json').write_text(json.dumps(entries))
    asked = [
        {'question': 'What is red?', 'question_type': 'one', 'evidence': [{'type': 'note', 'id': '4'}]},
        {'question': 'Who called?', 'question_type': 'one', 'evidence': [{'type': 'call', 'id': 1}]},
    ]
    (tmp_path / 'ana' / 'QA' / 'QA_clean.json').write_text(json.dumps(asked))
    [sample] = converters.lifebench(tmp_path)
    assert [line['text'] for line in sample['conversation']['session_1']] == ['Boat: It is red.']
    assert sample['conversation']['session_2'][0]['speaker'] == 'Ana Kim'
    assert [line['text'] for line in sample['conversation']['session_4']] == ['Rain: All day.']
    assert [line['text'] for line in sample['conversation']['session_5']] == ['Two new messages.']
    assert sample['qa'] == [{'question': 'What is red?', 'kind': 'one', 'evidence': ['D1:1']}]


def test_madial_asks_with_what_the_user_says_before_the_assistant_remembers(converters, tmp_path):
    memories = [
        {'3': {'time': '2024-02-01', 'event': 'Lisa drew a boat.'}},
        {'7': {'time': '2023-02-01', 'event': 'Lisa saw penguins.'}},
        {'8': {'time': '2023-03-01', 'event': 'Bart was late.'}},
    ]
    said = [
        '<BOD>\n',
        '<Lisa>: "I won!"\n',
        '<Assistant>: "What?"\n',
        '<Lisa>: "A race."\n',
        '<Assistant>: "As before?"\n',
    ]
    dialogue = {'dialogue': said, 'test-turn': [4], 'relevant-id': [3, 7], 'user-id': 2}
    for name, rows in {'memory': memories, 'dialogue': [dialogue]}.items():
        (tmp_path / f'MADial-Bench-en-{name}.json').write_text('\n'.join(map(json.dumps, rows)))
    bart, lisa = converters.madial(tmp_path)
    assert bart['qa'] == []
    assert lisa['qa'] == [{'question': 'I won! A race.', 'evidence': ['D1:1', 'D2:1']}]
    assert lisa['conversation']['session_2'][0]['text'] == 'Lisa drew a boat.'


def _entry(number, day, **fields):
    return {'phone_id': number, 'datetime': f'2025-01-0{day} 10:00:00', **fields}


def test_engrama_names_the_messages_of_a_personas_talks_in_the_order_of_their_dates(converters, tmp_path):
    def talk(number, persona, date):
        messages = [
            {'role': role, 'content': f'{role} in {number}', 'message_id': f'{number}_{place}'}
            for place, role in enumerate(('user', 'assistant'))
        ]
        return {'conversation_id': number, 'persona_id': persona, 'timestamp': date, 'messages': messages}

    talks = [talk('c2', 'kai', '2026-01-02'), talk('c1', 'kai', '2025-12-01'), talk('c3', 'sam', '2025-11-01')]
    asked = {'persona_id': 'kai', 'question': 'What is due?', 'task_family': 'cross_space'}
    queries = [
        {**asked, 'evidence_message_ids': ['c2_0', 'c1_1']},
        {**asked, 'task_family': 'adversarial', 'evidence_message_ids': []},
    ]
    (tmp_path / 'conversations.json').write_text(json.dumps(talks))
    (tmp_path / 'queries.json').write_text(json.dumps(queries))
    kai, sam = converters.engrama(tmp_path)
    assert [kai['conversation'][f'session_{number}_date_time'] for number in (1, 2)] == ['2025-12-01', '2026-01-02']
    assert [(each['kind'], each['evidence']) for each in kai['qa']] == [('cross_space', ['D1:2', 'D2:1'])]
    assert sam['qa'] == []


def test_friendsqa_is_an_episode_of_scenes_with_the_lines_that_hold_the_answers(converters, tmp_path):
    def scene(title, *lines, answers):
        said = [{'uid': uid, 'speakers': who, 'utterance': text} for uid, (who, text) in enumerate(lines)]
        asked = {'question': 'Who came?', 'answers': [{'utterance_id': uid} for uid in answers]}
        return {'title': title, 'paragraphs': [{'utterances:': said, 'qas': [asked]}]}

    first = scene('s01_e02_c01', ([], 'A café .'), (['Ann', 'Bo'], 'Hi !'), answers=(1, 1, 0))
    second = scene('s01_e02_c03', (['Ann'], 'Bye .'), answers=(0,))
    (tmp_path / 'friendsqa_dev.json').write_text(json.dumps({'data': [second]}))
    (tmp_path / 'friendsqa_tst.json').write_text(json.dumps({'data': [first]}))
    [episode] = converters.friendsqa(tmp_path)
    assert [line['speaker'] for line in episode['conversation']['session_1']] == ['narrator', 'Ann and Bo']
    assert [each['evidence'] for each in episode['qa']] == [['D1:1', 'D1:2'], ['D2:1']]
    assert episode['conversation']['session_2_date_time'] == '2000-01-03'


def test_molweni_is_one_chat_without_the_dialogues_that_overlap(converters, tmp_path):
    def talk(*lines, answers):
        asked = [{'question': text, 'answers': [{'answer_start': at} for at in starts]} for text, starts in answers]
        return {'edus': [{'speaker': who, 'text': text} for who, text in lines], 'qas': asked}

    # "ann: which disk ? bob: sda ann: thanks": sda begins at character 23.
    first = talk(('ann', 'which disk ?'), ('bob', 'sda'), ('ann', 'thanks'), answers=[('Which?', [23]), ('Why?', [])])
    overlaps = talk(('bob', 'sda'), ('ann', 'thanks'), answers=[('Which?', [5])])
    second = talk(('cy', 'ls works'), answers=[('What works?', [4]), ('What works?', [0, 11])])
    file = tmp_path / 'test.json'
    file.write_text(json.dumps({'data': {'dialogues': [first, overlaps, second]}}))
    [chat] = converters.molweni(file)
    assert [len(chat['conversation'][f'session_{number}']) for number in (1, 2)] == [3, 1]
    assert chat['qa'] == [
        {'question': 'Which?', 'evidence': ['D1:2']},
        {'question': 'What works?', 'evidence': ['D2:1']},
    ]
