"""Training examples for the stop spotter from recordings of people, which synthetic voices cannot replace."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lucca_core.errors import ConfigError, SpeechError
from lucca_core.protocol.speech import Samples
from lucca_lab.voice.noise import in_room, silence, with_other
from lucca_lab.voice.recordings import read_recording
from lucca_lab.voice.stop_examples import Examples, add_other, add_stop, recoloured
from speech_node.audio import FULL_SCALE, RATE_HZ, scaled, to_samples

STOPS, OTHERS = 'stop', 'other'
"""Folders of recordings with exactly one stop word, and of recordings without one."""
_RENDERINGS = 12
"""How often each recording of a stop word is used, with another colour, room, noise and background each time."""
_OTHER_RENDERINGS = 2
"""How often each recording without a stop word is used."""
_LATE = 3
"""Further frames, compared to synthetic words, in which a window may count as a stop. It is unknown whether the last
"p" was released, and when."""
_IN_ROOM, _DECAY_S, _DIRECT_DB = 0.5, (0.1, 0.6), (0.0, 15.0)
_OVER_TALK, _TALK_BELOW_DB = 0.25, (6.0, 25.0)
_CLIPPED, _PEAKS = 0.15, (1.0, 4.0)
"""Shares of the sounds in a room, over other talk, and louder than full scale, with the ranges of their strength."""
_LONGEST_S = 6.0
"""Length that is used, from a random place on, of a longer recording without a stop word."""
_LEVEL_S, _BELOW_LOUDEST_DB, _ABOVE_NOISE_DB = 0.01, 25.0, 8.0


def recording_examples(folder: Path, seed: int) -> Examples:
    """Makes examples from every WAV file in `folder/stop` and `folder/other`.

    Raises:
        ConfigError: one of the two has no WAV file.
    """
    rng = random.Random(seed)
    noise = np.random.default_rng(seed)
    stops, others = (_sounds(folder / name) for name in (STOPS, OTHERS))
    examples = Examples()
    pieces = [_piece(sound, rng) for sound in others]
    for piece in pieces * _OTHER_RENDERINGS:
        add_other(examples, _disturbed(recoloured(piece, rng)[0], (), rng, noise), rng, noise)
    for sound in stops:
        try:
            word = loud_part(sound)
        except SpeechError:
            continue
        for _ in range(_RENDERINGS):
            said = _disturbed(word, pieces, rng, noise)
            add_stop(examples, said, len(word), pieces, rng, noise, late=_LATE)
    return examples


def _disturbed(sound: Samples, talk: Sequence[Samples], rng: random.Random, noise: np.random.Generator) -> Samples:
    """The sound, each by chance, over another piece of talk, in a room, and too loud."""
    if talk and rng.random() < _OVER_TALK:
        sound = with_other(sound, rng.choice(talk), rng.uniform(*_TALK_BELOW_DB))
    if rng.random() < _IN_ROOM:
        # Some silence at the end, during which the room still sounds.
        behind = np.concatenate([sound, silence(_DECAY_S[0])])
        sound = in_room(behind, rng.uniform(*_DECAY_S), rng.uniform(*_DIRECT_DB), noise)
    if rng.random() < _CLIPPED:
        sound = to_samples(scaled(sound, FULL_SCALE // 2) * (2 * rng.uniform(*_PEAKS)))
    return sound


def loud_part(sound: Samples) -> Samples:
    """The sound from the first to the last 10 ms that are clearly above the noise and not far below the loudest ones.

    Raises:
        SpeechError: the sound has no such part.
    """
    count = round(_LEVEL_S * RATE_HZ)
    frames = sound[: len(sound) // count * count].reshape(-1, count).astype(np.float64)
    level_db = 10 * np.log10((frames**2).mean(axis=1) + 1) if len(frames) else np.zeros(0)
    if not len(level_db) or level_db.max() <= _ABOVE_NOISE_DB:
        raise SpeechError('a recording holds no sound')
    least_db = max(level_db.max() - _BELOW_LOUDEST_DB, np.percentile(level_db, 10) + _ABOVE_NOISE_DB)
    loud = np.flatnonzero(level_db >= min(least_db, level_db.max()))
    return sound[loud[0] * count : (loud[-1] + 1) * count]


def _sounds(folder: Path) -> Sequence[Samples]:
    files = sorted(path for path in folder.rglob('*') if path.suffix.lower() == '.wav')
    if not files:
        raise ConfigError('there is no *.wav in it', file=str(folder))
    return [read_recording(file) for file in files]


def _piece(sound: Samples, rng: random.Random) -> Samples:
    longest = round(_LONGEST_S * RATE_HZ)
    begin = rng.randrange(max(1, len(sound) - longest + 1))
    return sound[begin : begin + longest]
