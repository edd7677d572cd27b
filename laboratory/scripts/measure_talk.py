#!/usr/bin/env python3
"""Talks with a small model and counts what it makes of what is said; docs/models.md shows the figures.

    python laboratory/scripts/measure_talk.py turns lines.txt --llm local:smollm2+talk --out out/turns.jsonl
    python laboratory/scripts/measure_talk.py locomo locomo.json --dialogues 2 --questions 30 --llm local:smollm2+talk

`turns` says each line of a text file; an empty line begins a new conversation, and a line `# Name` names who speaks
from there on. The robot sees a table with an apple, a pear, a red cube, a blue cube, a bowl and two boxes, and has no
arms: what it would have begun is counted.
`locomo` keeps the lines of dialogues as told, and asks the questions about them; `--category` chooses which. Each
answer is judged by the lines that it rests on. The data set is not part of this project.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from coordinator_node.config import CoordinatorConfig
from coordinator_node.interfaces import Tally, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.persona import load_persona
from coordinator_node.talk.agent import Agent
from coordinator_node.talk.interpretation import Heard
from coordinator_node.waits import Waits
from lucca_cli.local_people import local_worker
from lucca_core.protocol.people import RecordedTurn
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_lab.locomo.data import load_dialogues
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.model_spec import make_model

SEEN = ('apple', 'pear', 'red cube', 'blue cube')


@dataclass
class Noting:
    """A model, with what it was asked and answered in the present turn."""

    model: ChatModel
    calls: list[dict[str, Any]] = field(default_factory=list)

    @property
    def spec(self) -> str:
        return self.model.spec

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        began_s, pieces = time.monotonic(), list[tuple[float, str]]()

        def noted(text: str) -> None:
            pieces.append((time.monotonic(), text))
            if on_text is not None:
                on_text(text)

        try:
            return self.model.chat(messages, options, on_text=noted, cancelled=cancelled)
        finally:
            self.calls.append(
                {
                    'asked': messages[-1].content,
                    'choices': list(options.choices),
                    'text': ''.join(text for _, text in pieces),
                    'began_s': began_s,
                    'first_s': pieces[0][0] - began_s if pieces else None,
                    'call_s': time.monotonic() - began_s,
                }
            )

    def check(self, deadline_s: float) -> None:
        self.model.check(deadline_s)


def table() -> Snapshot:
    """The table that the robot sees."""
    objects = tuple(TableObject(object_id=name, name=name, label=name) for name in SEEN)
    return Snapshot(
        objects=objects, containers=(Container(name='bowl'), Container(name='box 1'), Container(name='box 2'))
    )


@contextmanager
def talking(spec: str, folder: Path) -> Iterator[tuple[Agent, Noting, Any]]:
    """An agent with this model, the model, and the memory of people. The worker's model is the embedded reasoner."""
    noting = Noting(make_model(spec))
    config = CoordinatorConfig(llm=spec, seed=1)
    noting.check(120.0)
    noting.calls.clear()
    with local_worker(folder, make_model('embedded')) as (memory, people):
        agent = Agent(
            ModelCaller(noting, config, Waits()), memory, config, people=people, persona=load_persona(), table=table
        )
        yield agent, noting, people
        agent.close()
    close: Callable[[], None] | None = getattr(noting.model, 'close', None)
    if close is not None:
        close()


def asked(agent: Agent, noting: Noting, heard: Heard) -> dict[str, Any]:
    """One turn: what was said, what it was taken for, the answer, and the times."""
    noting.calls.clear()
    spoken: list[tuple[float, str]] = []
    began_s = time.monotonic()
    meaning = agent.turn(heard, Tally(), never, lambda text: spoken.append((time.monotonic() - began_s, text)))
    whole_s = time.monotonic() - began_s
    chosen = [call for call in noting.calls if call['choices']]
    written = [call for call in noting.calls if not call['choices']]
    return {
        'said': heard.text,
        'kind': next((call['text'] for call in chosen if len(call['choices']) > 4), ''),
        'wish': str(meaning.wish),
        'answer': meaning.argument,
        'written': written[-1]['text'] if written else '',
        'is_its_own': bool(written) and bool(spoken) and spoken[0][1] in written[-1]['text'].replace('\n', ' '),
        'rests_on': [item.item_id for item in meaning.rests_on],
        'calls': len(noting.calls),
        'first_word_s': round(written[0]['began_s'] - began_s + written[0]['first_s'], 2)
        if written and written[0]['first_s'] is not None
        else None,
        'first_sentence_s': round(spoken[0][0], 2) if spoken else None,
        'turn_s': round(whole_s, 2),
    }


def said_turns(options: argparse.Namespace, write: Callable[[dict[str, Any]], None]) -> None:
    """Says the lines of a file."""
    with talking(options.llm, options.data) as (agent, noting, _):
        person, conversation = options.person, 0
        for line in options.file.read_text(encoding='utf-8').splitlines()[: options.lines or None]:
            if not line.strip():
                conversation += 1
                continue
            if line.startswith('# '):
                person = line[2:].strip()
                continue
            write(asked(agent, noting, Heard(text=line, person=person, source='cli' if person else f'c{conversation}')))


def locomo(options: argparse.Namespace, write: Callable[[dict[str, Any]], None]) -> None:
    """Asks questions about dialogues whose lines were told."""
    with talking(options.llm, options.data) as (agent, noting, people):
        for dialogue in load_dialogues(options.file)[: options.dialogues]:
            person, places = f'Asker {dialogue.sample_id}', {}
            people.meet('cli', person, f'told {dialogue.sample_id}')
            lines = [line for line in dialogue.lines if line.session <= options.sessions]
            for line in lines:
                text = f'{line.speaker}: {line.text}'[:600]
                turn = RecordedTurn(
                    conversation=f'told {dialogue.sample_id}',
                    utterance=text,
                    answer='I see.',
                    stamp=line.time,
                    answered=line.time + timedelta(seconds=1),
                )
                people.record_turn(turn)
                places[text] = line.dia_id
            known = {line.dia_id for line in lines}
            fit = [
                one
                for one in dialogue.questions
                if (one.evidence <= known and len(one.evidence) == 1 and one.category in options.category)
                or (one.category == 5 and 5 in options.category and one.evidence <= known)
            ]
            for one in fit[: options.questions]:
                told = asked(agent, noting, Heard(text=one.text, person=person, source='cli'))
                shown = [call for call in noting.calls if call['choices'] == ['yes', 'no']]
                lines_shown = [
                    [next((place for text, place in places.items() if text[:80] in call['asked']), ''), call['text']]
                    for call in shown
                ]
                evidence = sorted(one.evidence)
                write(
                    {**told, 'category': one.category, 'evidence': evidence, 'lines': lines_shown, 'right': one.answer}
                )


def main() -> None:
    """Runs a measurement and prints a line of JSON for each turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', choices=('turns', 'locomo'))
    parser.add_argument('file', type=Path)
    parser.add_argument('--llm', default='local:smollm2+talk')
    parser.add_argument('--data', type=Path, help='data folder; otherwise a new one')
    parser.add_argument('--person', default='Ana')
    parser.add_argument('--lines', type=int, default=0)
    parser.add_argument('--dialogues', type=int, default=1)
    parser.add_argument('--sessions', type=int, default=99, help='sessions of each dialogue that are told')
    parser.add_argument('--questions', type=int, default=30, help='questions of each dialogue')
    parser.add_argument('--category', type=int, nargs='*', default=[1, 2, 4])
    parser.add_argument('--out', type=Path)
    options = parser.parse_args()
    options.data = options.data or Path(tempfile.mkdtemp())
    out = options.out.open('w', encoding='utf-8') if options.out else sys.stdout

    def write(row: dict[str, Any]) -> None:
        out.write(json.dumps(row) + '\n')
        out.flush()

    {'turns': said_turns, 'locomo': locomo}[options.what](options, write)


if __name__ == '__main__':
    main()
