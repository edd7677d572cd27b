"""Attack on the audio readers: WAV files with false headers, and damaged weights of the stop spotter."""

import io
import random
import resource
import struct
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import numpy as np

from lucca_core.errors import SpeechError
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from speech_node.audio import HIGHEST_RATE_HZ, LOWEST_RATE_HZ, RATE_HZ, read_wav, resampled
from speech_node.hearing.audio_sources import QueueSource, WavSource
from speech_node.hearing.stop_spotter import StopNetwork

LONGEST_S = 2.0
"""The most processor time (s) for one file of about a second."""

MOST_GROWTH_KB = 400_000

_ODD = (
    0,
    1,
    2,
    3,
    7,
    255,
    4_000,
    8_000,
    8_001,
    44_101,
    191_999,
    192_001,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    4_000_000_000,
)
_OTHERS = (
    *(
        b'',
        b'RIFF',
        b'RIFF\xff\xff\xff\xffWAVE',
        b'RIFX\x00\x00\x00\x00WAVE',
        b'OggS' * 50,
        b'fLaC' * 50,
        b'ID3\x04' * 50,
    ),
    *(b'RIFF\x24\x00\x00\x00AVI LIST' * 10, b'RF64\xff\xff\xff\xffWAVEds64' * 10, b'\x00' * 4096, b'#!/bin/sh\n' * 100),
)


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    weights = (resources.files('speech_node.hearing') / 'stop_words.npz').read_bytes()
    file = folder / 'drawn'
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def trial(chance: random.Random) -> Counts:
        kind = chance.choice(('wav', 'wav', 'wav', 'wav', 'source', 'rate', 'rate', 'weights'))
        began_s = time.process_time()
        read = True
        try:
            if kind == 'rate':
                _put_at_a_drawn_rate(chance)
            elif kind == 'weights':
                file.write_bytes(_damaged(weights, chance))
                np.isfinite(StopNetwork.load(file).probabilities(np.zeros((1, 48, 24), np.float32))).all()
            else:
                file.write_bytes(_drawn_wav(chance))
                samples = read_wav(file) if kind == 'wav' else WavSource(file, paced=False)
                if isinstance(samples, np.ndarray) and samples.dtype != np.int16:
                    raise Broken(f'samples of {samples.dtype}')
        except SpeechError:
            read = False
        took_s = time.process_time() - began_s
        if took_s > LONGEST_S:
            raise Broken(f'{kind} took {took_s:.1f} s')
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb > MOST_GROWTH_KB:
            raise Broken(f'memory grew by more than {MOST_GROWTH_KB} kB by {kind}')
        return {f'{kind}_read': read, f'{kind}_refused': not read}

    yield trial


def _put_at_a_drawn_rate(chance: random.Random) -> None:
    rate_hz = chance.choice((chance.choice(_ODD), chance.randint(1, 250_000)))
    samples = np.zeros(chance.choice((0, 1, 160, 1024, 48_000)), np.int16)
    piece = resampled(samples, rate_hz)
    if not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_RATE_HZ:
        raise Broken(f'a rate of {rate_hz} Hz was taken')
    if abs(len(piece) - len(samples) * RATE_HZ / rate_hz) > 2 + len(piece) / 1000:
        raise Broken(f'{len(samples)} samples at {rate_hz} Hz became {len(piece)}')
    QueueSource().put(samples, rate_hz)


def _drawn_wav(chance: random.Random) -> bytes:
    if chance.random() < 0.1:
        return chance.choice(_OTHERS)
    data = bytearray(_wav(chance))
    if chance.random() < 0.6:
        # Header fields: chunk sizes, format, channels, rate, bytes per second, bytes per frame, bits per sample.
        place, kind = chance.choice(
            ((4, '<I'), (16, '<I'), (20, '<H'), (22, '<H'), (24, '<I'), (28, '<I'), (32, '<H'), (34, '<H'), (40, '<I'))
        )
        struct.pack_into(kind, data, place, chance.choice(_ODD) % 2 ** (8 * struct.calcsize(kind)))
    return _damaged(bytes(data), chance) if chance.random() < 0.5 else bytes(data)


def _wav(chance: random.Random) -> bytes:
    channels, width = chance.choice((1, 1, 2, 6)), chance.choice((1, 2, 2, 2, 3, 4))
    rate_hz = chance.choice((8_000, 16_000, 22_050, 44_100, 48_000, chance.randint(1, 200_000)))
    file = io.BytesIO()
    with wave.open(file, 'wb') as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(width)
        writer.setframerate(rate_hz)
        writer.writeframes(chance.randbytes(channels * width * chance.choice((0, 1, 100, 20_000))))
    data = bytearray(file.getvalue())
    if width == 4 and chance.random() < 0.5:
        struct.pack_into('<H', data, 20, 3)  # floating-point samples, including NaN
        data[44:60] = struct.pack('<4f', float('nan'), float('inf'), -1e30, 0.5)[: len(data) - 44]
    return bytes(data)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 8))):
        if changed:
            place = chance.randrange(min(len(changed), chance.choice((64, len(changed)))))
            changed[place] ^= 1 << chance.randrange(8)
    end = chance.choice((len(changed), len(changed), chance.randint(0, len(changed)), chance.randint(0, 60)))
    return bytes(changed[:end])


PART = Attack(
    name='sounds',
    promise='A damaged sound file or an odd rate is read or refused with a SpeechError, in the time of a whole one.',
    open=_open,
    sample=150,
    count=2_000,
)
