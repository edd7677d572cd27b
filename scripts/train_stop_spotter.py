"""Trains the stop spotter on synthetic voices and writes its weights. Needs espeak-ng and torch; takes some three minutes of one core."""

import argparse
import functools
import multiprocessing
import sys
from pathlib import Path

from lucca_eval.stop_training import TRAINED_VOICES, Examples, make_examples, train

WEIGHTS = Path(__file__).resolve().parent.parent / 'speech_node' / 'stop_words.npz'


def main() -> int:
    """Makes the examples, trains, and saves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--epochs', type=int, default=7)
    parser.add_argument('--processes', type=int, default=1)
    parser.add_argument('--out', type=Path, default=WEIGHTS)
    arguments = parser.parse_args()

    def told(line: str) -> None:
        sys.stdout.write(line + '\n')
        sys.stdout.flush()

    examples = Examples()
    make = functools.partial(make_examples, seed=arguments.seed)
    with multiprocessing.get_context('spawn').Pool(arguments.processes) as pool:
        for number, some in enumerate(pool.imap(make, TRAINED_VOICES)):
            examples.extend(some)
            told(f'{number + 1} of {len(TRAINED_VOICES)} voices, {len(examples.labels)} windows')
    told(f'{len(examples.labels)} windows, {sum(examples.labels)} of them of stop words')
    train(examples, epochs=arguments.epochs, seed=arguments.seed, told=told).save(arguments.out)
    told(f'written: {arguments.out}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
