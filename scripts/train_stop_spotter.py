"""Trains the stop spotter on synthetic voices, writes its weights, and prints what it hears in voices that thresholds are chosen on.

Needs espeak-ng and torch; takes some ten minutes of one core.
"""

import argparse
import functools
import multiprocessing
import random
import sys
from pathlib import Path

import numpy as np

from lucca_eval.stop_examples import Examples, make_examples
from lucca_eval.stop_training import highest_probability, spoken, thresholds, train
from lucca_eval.stop_voices import OTHER_SPEEDS, OTHER_VOICES, TRAINED_VOICES, random_voices
from lucca_eval.voice_sentences import TALK, WORDS, talk
from speech_node.commands import STOP_WORDS
from speech_node.spotter import NetworkStopSpotter, StopNetwork

WEIGHTS = Path(__file__).resolve().parent.parent / 'speech_node' / 'stop_words.npz'
SNR_DB = 20.0


def main() -> int:
    """Makes the examples, trains, saves, and measures on the voices that thresholds are chosen on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--epochs', type=int, default=15)
    parser.add_argument('--voices', type=int, default=110, help='random voices besides those of espeak-ng')
    parser.add_argument('--processes', type=int, default=1)
    parser.add_argument('--kept', type=Path, help='folder that keeps examples, so that an interrupted run goes on')
    parser.add_argument('--out', type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    examples = _examples(arguments.voices, arguments.seed, arguments.processes, arguments.kept)
    network = train(examples, epochs=arguments.epochs, seed=arguments.seed, told=_told)
    network.save(arguments.out)
    _told(f'written: {arguments.out}')
    _measure(StopNetwork.load(arguments.out), arguments.seed)
    return 0


def _examples(count: int, seed: int, processes: int, kept: Path | None) -> Examples:
    examples = Examples()
    with random_voices(count, seed) as (data, drawn), multiprocessing.get_context('spawn').Pool(processes) as pool:
        stock = functools.partial(_of_voice, seed=seed, data=None, kept=kept)
        unmet = functools.partial(_of_voice, seed=seed, data=data, kept=kept)
        for voices, make in ((TRAINED_VOICES, stock), (drawn, unmet)):
            for number, some in enumerate(pool.imap(make, voices)):
                examples.extend(some)
                if (number + 1) % 20 == 0 or number + 1 == len(voices):
                    _told(f'{number + 1} of {len(voices)} voices, {len(examples.labels)} windows')
    _told(f'{len(examples.labels)} windows, {sum(examples.labels)} of them of stop words')
    return examples


def _of_voice(voice: str, seed: int, data: Path | None, kept: Path | None) -> Examples:
    file = kept / f'{seed}-{voice}.npz' if kept is not None else None
    if file is not None and file.exists():
        return Examples.load(file)
    examples = make_examples(voice, seed, data)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        examples.save(file)
    return examples


def _measure(network: StopNetwork, seed: int) -> None:
    spotter, noise = NetworkStopSpotter(network), np.random.default_rng(seed)
    heard = {
        (voice, word, speed): highest_probability(spotter, spoken(word, voice, speed, SNR_DB, noise))
        for voice in OTHER_VOICES
        for word in STOP_WORDS
        for speed in OTHER_SPEEDS
    }
    false = {
        (text, OTHER_VOICES[number % len(OTHER_VOICES)]): highest_probability(
            spotter,
            spoken(text, OTHER_VOICES[number % len(OTHER_VOICES)], OTHER_SPEEDS[number // 10 % 3], SNR_DB, noise),
        )
        for number, text in enumerate(talk(random.Random(seed), 200, TALK, WORDS))
    }
    for line in thresholds(list(heard.values()), list(false.values())):
        _told(line)
    for what, value in [
        *sorted(heard.items(), key=lambda item: item[1])[:15],
        *sorted(false.items(), key=lambda item: -item[1])[:10],
    ]:
        _told(f'{value:.3f} {what}')


def _told(line: str) -> None:
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


if __name__ == '__main__':
    sys.exit(main())
