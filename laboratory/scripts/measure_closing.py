#!/usr/bin/env python3
"""Counts which updates of BEAM's chats close what they replace in the network of statements.

    python laboratory/scripts/measure_closing.py BEAM/chats/500K --from 11 --half even

BEAM (mohammadtavakoli78/BEAM, CC BY-SA 4.0) is not part of this project. For each question about an update, a memory
hears the person's turns with the earlier value, and then those with the new one: `closed` counts the memories in which
a statement of the earlier turns is marked as outdated. For comparison, it hears the earlier turns and then the
later turn that shares most words with them, belongs to no update and does not name the new value: whatever that closes
is closed wrongly, or by an update that nobody asked about (`--show` prints it).
"""

import argparse
import dataclasses
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import make_embedder
from lucca_memory.retrieval.analysis import terms_of
from lucca_memory.semantic.graph.change import CONCEPT, OPEN
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

START = datetime(2024, 1, 1, tzinfo=UTC)
_OLD, _NEW = 'old', 'new'
_FIGURES = re.compile(r'\d[\d.,:]*\d|\d')


@dataclass(frozen=True, slots=True)
class Update:
    """One update: the turns with the earlier and the new value, and a turn that only adds (empty if there is none)."""

    name: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    adds: str


def updates_in(folder: Path) -> Iterator[Update]:
    """The updates of one chat whose turns of the person are known."""
    said = dict(_said(folder))
    file = folder / 'probing_questions' / 'probing_questions.json'
    for number, asked in enumerate(json.loads(file.read_text(encoding='utf-8')).get('knowledge_update', ())):
        places = asked.get('source_chat_ids') or {}
        if not isinstance(places, Mapping):
            continue
        new = [place for place in _numbers(places.get('updated_info', ())) if place in said]
        old = [place for place in _numbers(places.get('original_info', ())) if place in said and place not in new]
        if old and new and min(old) < min(new):
            adds = _adding(said, old, new, str(asked['answer']))
            texts = [tuple(said[place] for place in sorted(group)) for group in (old, new)]
            yield Update(f'{folder.name}-{number}', texts[0], texts[1], adds)


def closed_by(embedder: Embedder, old: Sequence[str], new: Sequence[str]) -> list[str]:
    """The earlier statements that are marked as outdated once the newer turns are heard."""
    memory = ConceptMemory(embedder)
    for day, name, turns in ((0, _OLD, old), (30, _NEW, new)):
        memory.hear(
            [
                Statement(text=text, speaker='user', time=START + timedelta(days=day + at), source=f'{name}{at}')
                for at, text in enumerate(turns)
            ]
        )
    network = memory.network
    told = network.column('alive') & (network.column('kinds') != CONCEPT)
    nodes = memory.store.nodes(network.column('ids')[told].tolist()).values()
    return [node.text for node in nodes if node.valid_to != OPEN and node.sources[0].startswith(_OLD)]


def _said(folder: Path) -> Iterator[tuple[int, str]]:
    for batch in json.loads((folder / 'chat.json').read_text(encoding='utf-8')):
        for turn in (turn for turns in batch['turns'] for turn in turns):
            if turn['role'] == 'user':
                yield int(turn['id']), turn['content'].split('->->')[0].strip()


def _numbers(entries: Any) -> list[int]:
    if isinstance(entries, list):
        return [number for entry in entries for number in _numbers(entry)]
    return [int(entries)] if str(entries).isdigit() else []


def _adding(said: Mapping[int, str], old: Sequence[int], new: Sequence[int], answer: str) -> str:
    """The later turn that shares most words with the earlier ones, rare words counting more, and is in no update."""
    figures = set(_FIGURES.findall(answer))
    terms = {place: frozenset(terms_of(text)) for place, text in said.items()}
    held = Counter(term for found in terms.values() for term in found)
    wanted = frozenset[int]().union(*(terms[place] for place in old))
    later = [
        place
        for place, text in said.items()
        if place > min(old) and place not in (*old, *new) and not figures & set(_FIGURES.findall(text))
    ]
    if not later:
        return ''
    return said[max(later, key=lambda place: sum(1 / held[term] for term in wanted & terms[place]))]


def main() -> None:
    """Prints JSON: how many updates closed something, and how many turns that only add did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('chats', type=Path, help='folder of chats of one size')
    parser.add_argument('--from', dest='first', type=int, default=1, help='number of the first chat')
    parser.add_argument('--half', choices=('even', 'odd', 'both'), default='both', help='which numbers of chats')
    parser.add_argument('--embedding', default='auto', help='embedding spec')
    parser.add_argument('--show', action='store_true', help='print every update too')
    given = parser.parse_args()
    embedder = make_embedder(given.embedding)
    folders = sorted((path for path in given.chats.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    wanted = {'even': (0,), 'odd': (1,), 'both': (0, 1)}[given.half]
    counts = dict.fromkeys(('updates', 'closed', 'additions', 'closed_by_an_addition'), 0)
    for folder in folders:
        if int(folder.name) < given.first or int(folder.name) % 2 not in wanted:
            continue
        for update in updates_in(folder):
            closed = closed_by(embedder, update.old, update.new)
            wrongly = closed_by(embedder, update.old, [update.adds]) if update.adds else []
            counts['updates'] += 1
            counts['closed'] += bool(closed)
            counts['additions'] += bool(update.adds)
            counts['closed_by_an_addition'] += bool(wrongly)
            if given.show:
                told = dataclasses.asdict(update) | {'closed': closed, 'wrongly': wrongly}
                sys.stdout.write(f'{json.dumps(told, ensure_ascii=False)}\n')
    sys.stdout.write(f'{json.dumps(counts)}\n')


if __name__ == '__main__':
    main()
