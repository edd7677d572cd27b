#!/usr/bin/env python3
"""Measures which words of a line the concepts of the semantic network make heavy; docs/models.md shows the figures.

    python laboratory/scripts/measure_concepts.py locomo --dialogues 2,3,4 --lines 100 --llm local:smollm2

A word of a line of evidence counts as asked about if a question that needs the line, or its answer, has the same word.
For each extractor the script prints how probably a word that was asked about weighs more than one that was not, in the
same line (AUC, 0.5 by chance), with an interval that is drawn over lines. The data set is not part of this project.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lucca_lab.locomo.data import load_dialogues
from lucca_llm.model_spec import make_model
from lucca_memory.retrieval.analysis import terms_of
from lucca_memory.semantic.language.extraction import Extractor, WordExtractor, YakeExtractor, mentions_of
from worker_node.network.concepts import ModelExtractor, WeighedConcepts

_ROUNDS = 2_000


def lines_asked_about(folder: Path, dialogues: Sequence[int]) -> list[tuple[str, frozenset[int]]]:
    """The texts of lines of evidence, with the keys of their words that were asked about: some, not all."""
    found = []
    for number in dialogues:
        dialogue = load_dialogues(folder)[number]
        asked: dict[str, set[int]] = {}
        for question in dialogue.questions:
            for name in question.evidence:
                asked.setdefault(name, set()).update(terms_of(f'{question.text} {question.answer}'))
        for line in dialogue.lines:
            keys = {mention.key for mention in mentions_of(line.text) if ' ' not in mention.label}
            meant = frozenset(keys & asked.get(line.dia_id, set()))
            if meant and meant != keys:
                found.append((line.text, meant))
    return found


def auc_of(extractor: Extractor, text: str, meant: frozenset[int]) -> float:
    """How probably a word that was asked about weighs more than another one; equal weights count half."""
    weights = {mention.key: mention.weight for mention in extractor.extract([text])[0] if ' ' not in mention.label}
    inside = [weight for key, weight in weights.items() if key in meant]
    outside = [weight for key, weight in weights.items() if key not in meant]
    return float(np.mean([(a > b) + (a == b) / 2 for a in inside for b in outside]))


def main() -> None:
    """Prints one line of JSON for each extractor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', type=Path, help='dialogues in LoCoMo format')
    parser.add_argument('--dialogues', default='0', help='numbers, separated by commas')
    parser.add_argument('--lines', type=int, default=100, help='how many lines are drawn')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--llm', action='append', default=[], help='a model that weighs them; may be repeated')
    options = parser.parse_args()
    cases = lines_asked_about(options.folder, [int(number) for number in options.dialogues.split(',')])
    random.Random(options.seed).shuffle(cases)
    cases = cases[: options.lines]
    words, keywords = WordExtractor(), YakeExtractor()
    weighing = [ModelExtractor(WeighedConcepts(make_model(spec), 60.0), keywords) for spec in options.llm]
    for extractor in (words, keywords, *weighing):
        began_s = time.monotonic()
        found = np.array([auc_of(extractor, text, meant) for text, meant in cases])
        drawn = found[np.random.default_rng(options.seed).integers(len(found), size=(_ROUNDS, len(found)))].mean(axis=1)
        row = {
            'extractor': extractor.spec,
            'lines': len(found),
            'auc': round(float(found.mean()), 3),
            'interval': [round(float(bound), 3) for bound in np.percentile(drawn, [2.5, 97.5])],
            'seconds_per_line': round((time.monotonic() - began_s) / len(found), 2),
        }
        sys.stdout.write(json.dumps(row) + '\n')
        sys.stdout.flush()


if __name__ == '__main__':
    main()
