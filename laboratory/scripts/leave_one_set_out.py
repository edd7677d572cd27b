#!/usr/bin/env python3
"""Fits the weights of retrieval on all sets of dialogues but one, and measures them on the one left out.

    python laboratory/scripts/leave_one_set_out.py locomo=out/locomo realmem=out/realmem --cache out/vectors.npz

Each set is a folder with files in LoCoMo's format (see `convert_dialogues.py`). Prints JSON.
"""

import argparse
import json
import sys
from pathlib import Path

from lucca_lab.dialogues.examples import examples_of
from lucca_lab.dialogues.left_out import leave_one_set_out
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.vector_cache import CachedEmbedder
from lucca_memory.embedding.spec import make_embedder


def main() -> None:
    """Parses the command line and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sets', nargs='+', metavar='NAME=DIR', help='At least two sets of dialogues.')
    parser.add_argument('--cache', type=Path, help='File (.npz) that keeps vectors between runs.')
    parser.add_argument('--embedding', default='auto', help='Embedding spec.')
    arguments = parser.parse_args()
    folders = dict(each.split('=', 1) for each in arguments.sets if '=' in each)
    if len(folders) < max(2, len(arguments.sets)):
        parser.error(f'needs two or more sets with different names, as NAME=DIR; got {" ".join(arguments.sets)}')
    embedder = CachedEmbedder(make_embedder(arguments.embedding), arguments.cache)
    examples = {}
    for name, folder in folders.items():
        examples[name] = examples_of(load_dialogues(Path(folder)), embedder)
        embedder.save()
    sys.stdout.write(f'{json.dumps(leave_one_set_out(examples), indent=1)}\n')


if __name__ == '__main__':
    main()
