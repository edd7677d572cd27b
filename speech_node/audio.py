"""Audio samples (16 kHz, mono, signed 16 bit): reading and writing WAV files, resampling and scaling."""

import functools
import io
import struct
import wave
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from lucca_core.regular_file import reading

RATE_HZ = 16_000
CHUNK = 512
"""Samples per chunk: 32 ms, the length that the voice-activity model expects."""
CHUNK_S = CHUNK / RATE_HZ
FULL_SCALE = 32_768

LOWEST_RATE_HZ, HIGHEST_RATE_HZ = 8_000, 192_000
"""Accepted sample rates."""

LONGEST_FILE_S = 3600.0
"""Longer files are refused, because a file is held in memory."""

MOST_CHANNELS = 32

_FINEST = 441
"""Largest denominator of a resampling ratio.

Common rates have an exact ratio (44.1 kHz and its multiples need 441); others are approximated to within 0.01 %. This
keeps every filter below 20,000 coefficients.
"""


def to_samples(values: NDArray[np.floating]) -> Samples:
    """Rounds values to 16-bit samples, clipping those out of range."""
    return np.asarray(np.clip(np.rint(values), -FULL_SCALE, FULL_SCALE - 1), dtype=np.int16)


def resampled(samples: Samples, rate_hz: int, to_hz: int = RATE_HZ) -> Samples:
    """Resamples from one rate to another. Unusual rates take no longer than common ones.

    Raises:
        SpeechError: the rate is out of range.
    """
    if not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_RATE_HZ:
        raise SpeechError(f'the sample rate must be {LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ} Hz, got {rate_hz}')
    if rate_hz == to_hz or not len(samples):
        return samples
    ratio = Fraction(to_hz, rate_hz).limit_denominator(_FINEST)
    up, down = ratio.numerator, ratio.denominator
    if up == down:
        return samples
    # Half a second to import: commands that only look at the set-up of the ears do not wait for it.
    from scipy.signal import resample_poly

    return to_samples(resample_poly(samples.astype(np.float64), up, down, window=resampling_filter(up, down)))


@functools.lru_cache(maxsize=16)
def resampling_filter(up: int, down: int) -> NDArray[np.float64]:
    """The low-pass filter of a ratio, cached; `resample_poly` would design it again for every call."""
    from scipy.signal import firwin

    slower = max(up, down)
    return np.asarray(firwin(20 * slower + 1, 1 / slower, window=('kaiser', 5.0)))


def scaled(samples: Samples, peak: int = 12_000) -> Samples:
    """Scales the sound to a peak value; silence stays silent."""
    highest = int(np.abs(samples.astype(np.int32)).max(initial=0))
    return samples if highest == 0 else to_samples(samples.astype(np.float64) * (peak / highest))


def read_wav(file: Path | io.BytesIO) -> Samples:
    """Reads a 16-bit WAV file with any accepted rate and number of channels, and converts it to 16 kHz mono.

    Raises:
        SpeechError: the file cannot be read or has another format.
    """
    name = file if isinstance(file, Path) else 'the WAV data'
    try:
        with ExitStack() as stack:
            stream = stack.enter_context(reading(file)) if isinstance(file, Path) else file
            reader = stack.enter_context(wave.open(stream, 'rb'))
            width, channels, rate_hz = reader.getsampwidth(), reader.getnchannels(), reader.getframerate()
            _check_format(name, width, channels, rate_hz)
            # The length in the header is not trusted: a program that writes to a pipe does not know it in advance.
            data = reader.readframes(int(LONGEST_FILE_S * rate_hz) + 1)
    # The wave module raises struct.error or RuntimeError when a chunk is shorter than declared.
    except (OSError, EOFError, ValueError, wave.Error, struct.error, RuntimeError) as error:
        raise SpeechError(f'{name} cannot be read as WAV: {error or "it ends too early"}') from error
    if len(data) > LONGEST_FILE_S * rate_hz * 2 * channels:
        raise SpeechError(f'{name} is longer than {LONGEST_FILE_S:g} s')
    values = np.frombuffer(data[: len(data) // (2 * channels) * 2 * channels], dtype='<i2').reshape(-1, channels)
    mono = values[:, 0] if channels == 1 else to_samples(values.mean(axis=1))
    return resampled(mono.astype(np.int16), rate_hz)


def _check_format(name: object, width: int, channels: int, rate_hz: int) -> None:
    if width != 2 or not 1 <= channels <= MOST_CHANNELS or not LOWEST_RATE_HZ <= rate_hz <= HIGHEST_RATE_HZ:
        raise SpeechError(
            f'{name} must hold 16-bit samples at {LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ} Hz in at most {MOST_CHANNELS} '
            f'channels, but holds {8 * width}-bit samples at {rate_hz} Hz in {channels}'
        )


def write_wav(file: Path | io.BytesIO, samples: Samples) -> None:
    """Writes samples as a 16 kHz mono 16-bit WAV file."""
    with wave.open(str(file) if isinstance(file, Path) else file, 'wb') as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE_HZ)
        writer.writeframes(samples.astype('<i2').tobytes())
