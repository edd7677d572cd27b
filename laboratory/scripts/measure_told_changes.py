#!/usr/bin/env python3
"""Counts which drawn pairs of statements close, of those that may and of those that must not.

    python laboratory/scripts/measure_told_changes.py --pairs 1200

The pairs are drawn by `lucca_lab.evolution.told_changes`; with `--fresh`, in its sentences that were written after the
rules.
"""

import argparse
import json
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta

from lucca_lab.evolution.told_changes import Pair, closed, closed_fresh, kept, kept_fresh
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.embedding.spec import make_embedder
from lucca_memory.semantic.graph.change import CONCEPT, OPEN
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

START = datetime(2024, 1, 1, tzinfo=UTC)


def closes(embedder: Embedder, pair: Pair) -> bool:
    """True if a memory that hears both statements marks the older one as outdated."""
    memory = ConceptMemory(embedder)
    for day, text in enumerate((pair.old, pair.new)):
        memory.hear([Statement(text=text, speaker='user', time=START + timedelta(days=day), source=str(day))])
    network = memory.network
    told = network.column('alive') & (network.column('kinds') != CONCEPT)
    nodes = memory.store.nodes(network.column('ids')[told].tolist()).values()
    return any(node.valid_to != OPEN for node in nodes if node.sources[0] == '0')


def main() -> None:
    """Prints JSON: the pairs that closed, by design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--pairs', type=int, default=1200, help='pairs that may close, and as many that must not')
    parser.add_argument('--fresh', action='store_true', help='the sentences that were written after the rules')
    parser.add_argument('--embedding', default='auto', help='embedding spec')
    parser.add_argument('--show', action='store_true', help='print each pair that closes wrongly or stays open')
    given = parser.parse_args()
    embedder = make_embedder(given.embedding)
    drawn, closing = Counter[str](), Counter[str]()
    for draw in (kept_fresh, closed_fresh) if given.fresh else (kept, closed):
        for seed in range(given.pairs):
            pair = draw(seed)
            found = closes(embedder, pair)
            drawn[pair.design] += 1
            closing[pair.design] += found
            if given.show and found != pair.closes:
                sys.stdout.write(f'{pair.design} | {pair.old} | {pair.new}\n')
    table = {design: f'{closing[design]} of {count}' for design, count in drawn.items()}
    wrong = sum(closing[design] for design in drawn if design != 'same')
    sys.stdout.write(f'{json.dumps({"closed": table, "wrong": wrong}, indent=2)}\n')


if __name__ == '__main__':
    main()
