#!/usr/bin/env python3
"""Chooses the weights of the ranking signals on all sets of dialogues but one, and measures them on that one.

    lucca eval dialogues --data out/beam --signals out/beam.npz
    lucca eval dialogues --data out/realmem --signals out/realmem.npz
    lucca eval dialogues --data locomo --signals out/locomo.npz
    python laboratory/scripts/leave_one_set_out.py out/beam.npz out/realmem.npz out/locomo.npz

Each file is a set, named after the file.
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from lucca_lab.dialogues.signals import load_signals
from lucca_lab.dialogues.weights import leave_one_set_out


def main() -> None:
    """Prints JSON: for each set, recall@10 by the shipped and by the chosen weights, and the chosen weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('signals', nargs='+', type=Path, help='files of `lucca eval dialogues --signals`')
    given = parser.parse_args()
    found = leave_one_set_out({file.stem: load_signals(file) for file in given.signals})
    table = {name: dataclasses.asdict(held) for name, held in found.items()}
    sys.stdout.write(f'{json.dumps(table, indent=2)}\n')


if __name__ == '__main__':
    main()
