"""Writes talk to train and to measure on: `python -m lucca_lab.training.talk_data --sessions 400 --seed 1 FILE`.

A line is a session with one person, as `make_data` writes them. A decision may have `choices`, between which the model
chooses, and `kind`; one without choices is words that the model writes itself. The prompts are those of the product,
and all words pass its own gate.
"""

import argparse
import hashlib
import json
import random
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_lab.training.scene_draft import TRAIN
from lucca_lab.training.talk_session import TalkSession
from lucca_llm.talk_kinds import TalkKind

RUN = 5
WEIGHTS = {
    TalkKind.GREETING: 5,
    TalkKind.GOODBYE: 4,
    TalkKind.THANKS: 4,
    TalkKind.SMALL_TALK: 9,
    TalkKind.STATEMENT: 14,
    TalkKind.ABOUT_ME: 8,
    TalkKind.TOLD_BEFORE: 22,
    TalkKind.LAST_TALK: 4,
    TalkKind.TABLE: 6,
    TalkKind.DEEDS: 6,
    TalkKind.WORLD: 4,
    TalkKind.REQUEST: 11,
    TalkKind.STOP: 1,
    TalkKind.NAME: 3,
    TalkKind.REMEMBER: 3,
    TalkKind.FORGET: 3,
    TalkKind.LESSON: 2,
}


@dataclass(frozen=True)
class Avoided:
    """What an evaluation is made of: runs of RUN words, and whole texts of two words or more."""

    runs: frozenset[tuple[str, ...]]
    texts: frozenset[str]

    @classmethod
    def of(cls, lines: Sequence[str]) -> 'Avoided':
        """Of the texts of an evaluation."""
        return cls(frozenset(runs_of(lines)), frozenset(plain for line in lines if ' ' in (plain := _plain(line))))

    def shares(self, texts: Sequence[str]) -> list[str]:
        """The runs and the whole texts that some texts share with the evaluation."""
        said = {_plain(text.rpartition(' said: ')[2]) for text in texts}
        return sorted([' '.join(run) for run in runs_of(texts) & self.runs] + [*(said & self.texts)])


def _plain(text: str) -> str:
    return ' '.join(re.findall(r"[a-z0-9']+", text.lower()))


def draw_session(number: int, seed: int, avoided: Avoided) -> tuple[dict[str, Any], int]:
    """One line of the file, and how many answers were left out because the gate would not let them through.

    A turn that shares words with the evaluation is drawn, but not kept.
    """
    chance = random.Random(f'{seed}:talk:{number}')
    session = TalkSession(chance)
    kinds = chance.choices(list(WEIGHTS), list(WEIGHTS.values()), k=chance.randint(5, 9))
    for kind in kinds:
        known, before = len(session.decisions), session.before
        session.turn(kind)
        if avoided.shares(texts_of(session.decisions[known:])):
            del session.decisions[known:]
            session.before = before
    return {'memory': True, 'words': TRAIN, 'decisions': session.decisions}, session.dropped


def texts_of(decisions: Iterable[dict[str, Any]]) -> list[str]:
    """What was drawn in some decisions: all but the persona, which is the product's."""
    return [
        text
        for item in decisions
        for message in item['messages']
        for text in [*message['content'].splitlines()[1 if message['role'] == 'system' else 0 :], item['answer']]
    ]


def runs_of(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """All runs of RUN words in some texts."""
    found = set()
    for text in texts:
        words = re.findall(r"[a-z0-9']+", text.lower())
        found |= {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
    return found


def main() -> None:
    """Writes the file and prints counts, a hash, and what it shares with the texts of an evaluation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('file', type=Path)
    parser.add_argument('--sessions', type=int, default=400)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--evaluation', type=Path, nargs='*', default=[], help='text files, a line for each text')
    options = parser.parse_args()
    theirs = [line for path in options.evaluation for line in path.read_text(encoding='utf-8').splitlines()]
    avoided = Avoided.of(theirs)
    kinds: dict[str, int] = {}
    told: list[str] = []
    decisions = dropped = 0
    with options.file.open('w', encoding='utf-8') as file:
        for number in range(options.sessions):
            line, left_out = draw_session(number, options.seed, avoided)
            dropped += left_out
            decisions += len(line['decisions'])
            for item in line['decisions']:
                kinds[item['kind']] = kinds.get(item['kind'], 0) + 1
            told += texts_of(line['decisions'])
            file.write(json.dumps(line) + '\n')
    shared = avoided.shares(told)
    result = {
        'seed': options.seed,
        'sessions': options.sessions,
        'decisions': decisions,
        'kinds': kinds,
        'left_out_by_the_gate': dropped,
        'sha256': hashlib.sha256(options.file.read_bytes()).hexdigest(),
        'evaluation_texts': len(theirs),
        f'shared_runs_of_{RUN}_words_and_texts': shared,
    }
    sys.stdout.write(json.dumps(result, indent=2) + '\n')
    if shared:
        sys.exit('the training talk shares words with the evaluation')


if __name__ == '__main__':
    main()
