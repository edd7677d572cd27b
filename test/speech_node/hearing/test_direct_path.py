"""The direct path is found wherever it is, within a few chunks, and followed when it moves."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speech_node.audio import CHUNK
from speech_node.hearing.direct_path import DirectPath

LAGS = 4096
SOUND = np.random.default_rng(3).normal(scale=0.1, size=80 * CHUNK)


def echo_of(sound: np.ndarray, lag: int, gain: float) -> np.ndarray:
    return gain * np.concatenate([np.zeros(lag), sound])[: len(sound)]


def left(sound: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """Of each chunk's energy, the share that is left; one in which nothing is heard has nothing left."""
    path = DirectPath(LAGS)
    shares = []
    for start in range(0, len(sound), CHUNK):
        part = heard[start : start + CHUNK]
        error = part - path.echo(part, sound[start : start + CHUNK])
        path.learn()
        shares.append(float(error @ error) / max(float(part @ part), 1e-9))
    return np.array(shares)


@settings(deadline=None, max_examples=10)
@example(lag=CHUNK, gain=1.0, sign=-1)  # nothing is heard of the first chunk
@given(lag=st.integers(0, LAGS - 64), gain=st.floats(0.05, 1.0), sign=st.sampled_from([-1, 1]))
def test_it_is_learned_within_three_chunks_of_sound_at_any_delay_and_level(lag, gain, sign):
    first = -(-lag // CHUNK)
    sound = SOUND[: (first + 10) * CHUNK]
    assert (left(sound, echo_of(sound, lag, sign * gain))[first + 4 :] < 0.01).all()


def test_it_is_found_again_where_it_has_moved():
    middle = len(SOUND) // 2
    heard = np.concatenate([echo_of(SOUND, 960, 0.3)[:middle], echo_of(SOUND, 1440, 0.3)[middle:]])
    shares = left(SOUND, heard)
    assert shares[middle // CHUNK] == pytest.approx(2.0, abs=0.5)
    assert (shares[-5:] < 0.01).all()


def test_what_is_not_to_be_learned_changes_nothing():
    person = np.random.default_rng(4).normal(scale=0.5, size=len(SOUND))
    path, heard = DirectPath(LAGS), echo_of(SOUND, 960, 0.3)
    for start in range(0, 20 * CHUNK, CHUNK):
        path.echo(heard[start : start + CHUNK], SOUND[start : start + CHUNK])
        path.learn()
    for start in range(20 * CHUNK, 40 * CHUNK, CHUNK):
        part = slice(start, start + CHUNK)
        found = path.echo(heard[part] + person[part], SOUND[part])
        assert np.sum((found - heard[part]) ** 2) < 0.01 * np.sum(heard[part] ** 2)
