"""Measures an adapter as lucca runs it: `python -m lucca_lab.training.measure_scorer --adapter FILE --dev FILE`.

Prints the figures that `train_scorer` gives, for all groups and for each source, as JSON.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from lucca_core.trained_models import MPNET
from lucca_lab.training.pair_figures import figures
from lucca_memory.embedding.pair_scorer import PairScorer
from lucca_memory.embedding.spec import minilm_folder


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', default='minilm', help='minilm, mpnet or a folder')
    parser.add_argument('--adapter', type=Path, required=True)
    parser.add_argument('--dev', type=Path, required=True, help='JSON lines, not packed')
    parser.add_argument('--groups', type=int, default=0, help='drawn at random; 0: all')
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    folder = {'minilm': minilm_folder(), 'mpnet': MPNET.path}.get(options.base) or Path(options.base)
    groups = [json.loads(line) for line in options.dev.read_text().splitlines()]
    if options.groups:
        chosen = np.random.default_rng(options.seed).permutation(len(groups))[: options.groups]
        groups = [groups[number] for number in sorted(chosen)]
    scorer = PairScorer(folder, options.adapter)
    began_s = time.process_time()
    scores = [scorer.scores([(group['left'], text) for text in group['right']]) for group in groups]
    taken_s = time.process_time() - began_s
    told: dict[str, object] = {'processor_ms_per_pair': round(1000 * taken_s / sum(map(len, scores)), 2)}
    for source in ['all', *sorted({group.get('source', '') for group in groups})]:
        kept = [n for n, group in enumerate(groups) if source in ('all', group.get('source', ''))]
        first = np.cumsum([0, *(len(scores[n]) for n in kept)])
        right_is = np.concatenate([groups[n]['is'] for n in kept]).astype(float)
        told[source] = figures(np.concatenate([scores[n] for n in kept]).astype(float), right_is, first)
    sys.stdout.write(json.dumps(told, indent=1) + '\n')


if __name__ == '__main__':
    main()
