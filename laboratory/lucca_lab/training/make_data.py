"""Writes decisions to train and to measure on: `python -m lucca_lab.training.make_data --sessions 600 --seed 1 FILE`.

A line is a session: `{"memory": true, "words": "train", "decisions": [{"messages": […], "answer": "…"}]}`.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lucca_lab.training.overlap import RUN, shared_runs, shared_words
from lucca_lab.training.recording import draw_session, record_session
from lucca_lab.training.scene_draft import TRAIN, UNSEEN
from lucca_lab.training.scenes import Scene
from lucca_lab.training.teacher import WHICH_CALL, Decision

NO_MEMORY = 0.02
"""The share of sessions without memory, which are five to ten times as long."""
CALLS_LEFT = 'Calls still to make: '


def chosen(decisions: Sequence[Decision], scenes: Sequence[Scene], chance: random.Random) -> list[Decision]:
    """The decisions worth their tokens: all about objects, and a few about the next call, more if there is an order."""
    about_objects = [item for item in decisions if not item.messages[-1].content.endswith(WHICH_CALL)]
    calls = [item for item in decisions if item.messages[-1].content.endswith(WHICH_CALL)]
    ordered = any(len(scene.groups) > 1 for scene in scenes)
    if ordered:
        # Those whose answer is not the call that is listed first teach the order.
        hard = [item for item in calls[1:] if not _is_listed_first(item)]
        easy = [item for item in calls[1:] if _is_listed_first(item)]
        later = [*chance.sample(hard, min(3, len(hard))), *chance.sample(easy, min(1, len(easy)))]
    else:
        later = chance.sample(calls[1:], int(len(calls) > 1 and chance.random() < 0.1))
    first = calls[: int(ordered or chance.random() < 0.1)]
    return [*about_objects, *first, *later]


def _is_listed_first(decision: Decision) -> bool:
    listed = decision.messages[-1].content.partition(CALLS_LEFT)[2]
    return not listed or listed.startswith(decision.answer)


def _asks_for_a_call(line: dict[str, Any]) -> bool:
    return bool(line['messages'][-1]['content'].rstrip().endswith(WHICH_CALL))


def session(number: int, seed: int, words: str) -> tuple[dict[str, Any], list[Scene]]:
    """One line of the file, and its scenes."""
    chance = random.Random(f'{seed}:{words}:{number}')
    memory = chance.random() >= NO_MEMORY
    scenes = draw_session(chance, words, memory=memory)
    decisions = record_session(scenes, memory=memory, seed=seed)
    if memory:
        decisions = chosen(decisions, scenes, chance)
    lines = [
        {
            'messages': [{'role': message.role, 'content': message.content} for message in item.messages],
            'answer': item.answer,
        }
        for item in decisions
    ]
    return {'memory': memory, 'words': words, 'decisions': lines}, scenes


def main() -> None:
    """Writes the file and prints counts, a hash and overlaps with the evaluation; fails if there is any overlap."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('file', type=Path)
    parser.add_argument('--sessions', type=int, default=600)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument(
        '--next-calls', action='store_true', help='only which call comes next, in sessions that ask it at least twice'
    )
    parser.add_argument('--words', choices=[TRAIN, UNSEEN], default=TRAIN)
    options = parser.parse_args()
    scenes: list[Scene] = []
    sessions = decisions = 0
    with options.file.open('w', encoding='utf-8') as file:
        for number in range(options.sessions):
            line, drawn = session(number, options.seed, options.words)
            if options.next_calls:
                line['decisions'] = [item for item in line['decisions'] if _asks_for_a_call(item)]
                if not line['memory'] or len(line['decisions']) < 2:
                    continue
            scenes += drawn
            sessions += 1
            decisions += len(line['decisions'])
            file.write(json.dumps(line) + '\n')
    runs = shared_runs(scene.task.description for scene in scenes)
    told = {
        'seed': options.seed,
        'words': options.words,
        'drawn': options.sessions,
        'next_calls_only': options.next_calls,
        'sessions': sessions,
        'tasks': len(scenes),
        'decisions': decisions,
        'sha256': hashlib.sha256(options.file.read_bytes()).hexdigest(),
        'shared_words': shared_words(),
        f'shared_runs_of_{RUN}_words': runs,
        'overlap': sum(map(len, shared_words().values())) + len(runs),
    }
    sys.stdout.write(json.dumps(told, indent=2) + '\n')
    if told['overlap']:
        sys.exit('the training texts share words with the evaluation')


if __name__ == '__main__':
    main()
