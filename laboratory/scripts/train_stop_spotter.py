"""Trains the stop spotter on synthetic voices and on recordings of people, writes its weights and prints its scores on
validation voices.

Needs espeak-ng and torch; takes some twenty-five minutes of one core.
"""

import argparse
import functools
import multiprocessing
import random
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from lucca_core.stop_command import STOP_WORDS
from lucca_lab.voice.sentences import TALK, WORDS, talk
from lucca_lab.voice.stop_examples import Examples, make_examples
from lucca_lab.voice.stop_recordings import recording_examples
from lucca_lab.voice.stop_training import chosen, highest_probability, spoken, thresholds, train
from lucca_lab.voice.stop_voices import OTHER_RANDOM, OTHER_SPEEDS, OTHER_VOICES, TRAINED_VOICES, random_voices
from speech_node import hearing
from speech_node.hearing.command_book import load_commands
from speech_node.hearing.stop_spotter import NetworkStopSpotter, StopNetwork

WEIGHTS = Path(hearing.__file__).with_name('stop_words.npz')
SNR_DB = 20.0
SNRS_DB = (35.0, 20.0)
SENTENCES = 300
"""Number of sentences of ordinary talk on which thresholds are chosen; all commands are added."""


def main() -> int:
    """Makes the examples, trains, saves, and measures in the voices for choosing thresholds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--epochs', type=int, default=15)
    parser.add_argument('--voices', type=int, default=110, help='random voices of one draw, besides those of espeak-ng')
    parser.add_argument('--draws', type=int, default=2, help='draws of random voices')
    parser.add_argument('--processes', type=int, default=1)
    parser.add_argument('--kept', type=Path, help='folder that keeps examples, so that an interrupted run goes on')
    parser.add_argument('--recordings', type=Path, help='folder of recordings of people, in stop/ and other/')
    parser.add_argument('--start', type=Path, help='weights to train further; the synthetic voices then count twice')
    parser.add_argument('--out', type=Path, default=WEIGHTS)
    parser.add_argument('--measure', action='store_true', help='train nothing: only measure the weights at --out')
    arguments = parser.parse_args()
    if not arguments.measure:
        examples = _examples(arguments.voices, arguments.seed, arguments.draws, arguments.processes, arguments.kept)
        start = StopNetwork.load(arguments.start) if arguments.start is not None else None
        if start is not None:
            examples.extend(examples)
        if arguments.recordings is not None:
            examples.extend(recording_examples(arguments.recordings, arguments.seed))
            _told(f'with recordings: {len(examples.labels)} windows, {sum(examples.labels)} of them of stop words')
        network = train(examples, epochs=arguments.epochs, seed=arguments.seed, told=_told, start=start)
        network.save(arguments.out)
        _told(f'written: {arguments.out}')
    _measure(StopNetwork.load(arguments.out), arguments.seed)
    return 0


def _examples(count: int, seed: int, draws: int, processes: int, kept: Path | None) -> Examples:
    examples = Examples()
    with multiprocessing.get_context('spawn').Pool(processes) as pool:
        _extend(examples, pool.imap(functools.partial(_of_voice, seed=seed, data=None, kept=kept), TRAINED_VOICES))
        for draw in range(seed, seed + draws):
            with random_voices(count, draw) as (data, drawn):
                _extend(examples, pool.imap(functools.partial(_of_voice, seed=draw, data=data, kept=kept), drawn))
    _told(f'{len(examples.labels)} windows, {sum(examples.labels)} of them of stop words')
    return examples


def _extend(examples: Examples, found: Iterable[Examples]) -> None:
    for number, some in enumerate(found):
        examples.extend(some)
        if (number + 1) % 20 == 0:
            _told(f'{number + 1} voices, {len(examples.labels)} windows')


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
    """Measures in the voices for choosing thresholds: espeak-ng's own and random ones in turn."""
    spotter, noise = NetworkStopSpotter(network), np.random.default_rng(seed)
    count, draw = OTHER_RANDOM
    heard: dict[tuple[str, ...], float] = {}
    false: dict[tuple[str, ...], float] = {}
    with random_voices(count, draw) as (data, drawn):
        for number, voice in enumerate((*OTHER_VOICES, *drawn)):
            where = data if voice in drawn else None
            for word in STOP_WORDS:
                for speed in OTHER_SPEEDS if where is None else OTHER_SPEEDS[number % 3 :][:1]:
                    sound = spoken(word, voice, speed, SNR_DB, noise, where)
                    heard[voice, word, str(speed)] = highest_probability(spotter, sound)
        said = (*talk(random.Random(seed), SENTENCES, TALK, WORDS), *load_commands().sentences)
        for number, text in enumerate(said):
            pool = OTHER_VOICES if number % 2 == 0 else drawn
            voice = pool[number // 2 % len(pool)]
            sound = spoken(
                text,
                voice,
                OTHER_SPEEDS[number // 20 % 3],
                SNRS_DB[number // 60 % 2],
                noise,
                data if voice in drawn else None,
            )
            false[voice, text] = highest_probability(spotter, sound)
    for line in thresholds(list(heard.values()), list(false.values())):
        _told(line)
    threshold = chosen(list(heard.values()))
    for name, stock in (('voices of espeak-ng', True), ('random voices', False)):
        of_kind = [value for (voice, *_), value in heard.items() if (voice in OTHER_VOICES) == stock]
        _told(f'chosen {threshold:.2f}: heard {sum(value >= threshold for value in of_kind)} of {len(of_kind)}, {name}')
    for what, value in [
        *sorted(heard.items(), key=lambda item: item[1])[:15],
        *sorted(false.items(), key=lambda item: -item[1])[:15],
    ]:
        _told(f'{value:.3f} {what}')


def _told(line: str) -> None:
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


if __name__ == '__main__':
    sys.exit(main())
