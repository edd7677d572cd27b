"""Sound as numbers: 16 kHz, one channel, signed 16 bit; WAV files in and out, other rates, levels and noise."""

import io
import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

from lucca_core.errors import SpeechError

Samples = NDArray[np.int16]

RATE_HZ = 16_000
CHUNK = 512
"""Samples that are dealt with at a time: 32 ms, what the voice-activity model takes."""
CHUNK_S = CHUNK / RATE_HZ
FULL_SCALE = 32_768

_LOUD = 0.05
"""Share of the peak above which a sample counts as speech when its level is measured."""


def silence(duration_s: float) -> Samples:
    """Digital silence."""
    return np.zeros(round(duration_s * RATE_HZ), dtype=np.int16)


def to_samples(values: NDArray[np.floating]) -> Samples:
    """Numbers in units of one step of 16 bit as samples, clipped where they are too loud."""
    return np.asarray(np.clip(np.rint(values), -FULL_SCALE, FULL_SCALE - 1), dtype=np.int16)


def resampled(samples: Samples, rate_hz: int, to_hz: int = RATE_HZ) -> Samples:
    """The same sound at another rate."""
    if rate_hz == to_hz:
        return samples
    divisor = int(np.gcd(rate_hz, to_hz))
    return to_samples(resample_poly(samples.astype(np.float64), to_hz // divisor, rate_hz // divisor))


def scaled(samples: Samples, peak: int = 12_000) -> Samples:
    """The same sound with another peak; silence stays silence."""
    highest = int(np.abs(samples.astype(np.int32)).max(initial=0))
    return samples if highest == 0 else to_samples(samples.astype(np.float64) * (peak / highest))


def speech_power(samples: Samples) -> float:
    """Mean square of what is louder than a twentieth of the peak, so that pauses do not count; in steps of 16 bit."""
    values = samples.astype(np.float64)
    loud = np.abs(values) > _LOUD * np.abs(values).max(initial=0.0)
    return float(np.mean(values[loud] ** 2)) if loud.any() else 0.0


def with_noise(samples: Samples, snr_db: float, rng: np.random.Generator) -> Samples:
    """The sound with white noise `snr_db` below its speech."""
    sigma = np.sqrt(speech_power(samples) / 10 ** (snr_db / 10))
    return to_samples(samples + rng.normal(scale=max(sigma, 1e-9), size=len(samples)))


def read_wav(file: Path | io.BytesIO) -> Samples:
    """A WAV file of 16-bit numbers, at any rate and with any number of channels, as 16 kHz with one.

    Raises:
        SpeechError: it cannot be read or holds something else; the file is named.
    """
    name = file if isinstance(file, Path) else 'the WAV data'
    try:
        with wave.open(str(file) if isinstance(file, Path) else file, 'rb') as reader:
            width, channels, rate_hz = reader.getsampwidth(), reader.getnchannels(), reader.getframerate()
            data = reader.readframes(reader.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise SpeechError(f'{name} cannot be read as WAV: {error}') from error
    if width != 2 or rate_hz < 8000:
        raise SpeechError(f'{name} should hold 16-bit numbers at 8000 Hz or more, holds {8 * width} at {rate_hz} Hz')
    # A program that writes to a pipe does not know the length beforehand; what there is counts.
    values = np.frombuffer(data[: len(data) // (2 * channels) * 2 * channels], dtype='<i2').reshape(-1, channels)
    mono = values[:, 0] if channels == 1 else to_samples(values.mean(axis=1))
    return resampled(mono.astype(np.int16), rate_hz)


def write_wav(file: Path | io.BytesIO, samples: Samples) -> None:
    """Writes 16 kHz, one channel, 16 bit."""
    with wave.open(str(file) if isinstance(file, Path) else file, 'wb') as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE_HZ)
        writer.writeframes(samples.astype('<i2').tobytes())
