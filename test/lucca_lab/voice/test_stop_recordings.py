"""Recordings of people as examples for the stop spotter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError, SpeechError
from lucca_lab.voice.stop_recordings import loud_part, recording_examples
from speech_node.audio import RATE_HZ, write_wav
from speech_node.hearing.stop_spotter import FRAMES

SECOND = np.random.default_rng(0).normal(0, 3000, RATE_HZ).astype(np.int16)


def quiet(seconds, level=20.0):
    return np.random.default_rng(1).normal(0, level, round(seconds * RATE_HZ)).astype(np.int16)


@given(before=st.floats(0.1, 1.0), word=st.floats(0.2, 0.6), after=st.floats(0.1, 1.0))
def test_a_word_is_found_in_the_noise_around_it(before, word, after):
    said = SECOND[: round(word * RATE_HZ)]
    found = loud_part(np.concatenate([quiet(before), said, quiet(after)]))
    assert len(found) == pytest.approx(len(said), abs=0.025 * RATE_HZ)


@pytest.mark.parametrize('sound', [np.zeros(RATE_HZ, dtype=np.int16), np.zeros(0, dtype=np.int16)])
def test_a_recording_without_sound_holds_no_word(sound):
    with pytest.raises(SpeechError, match='no sound'):
        loud_part(sound)


def test_stop_words_are_examples_of_a_stop_and_everything_else_is_none(tmp_path):
    for name, sound in (('stop/a', SECOND[:6000]), ('stop/silent', quiet(1.0, 0.0)), ('other/b', SECOND)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_wav(tmp_path / f'{name}.wav', np.concatenate([quiet(0.3), sound, quiet(0.3)]))
    examples = recording_examples(tmp_path, 0)
    labels = [
        [label for (at, _), label in zip(examples.ends, examples.labels, strict=True) if at == number]
        for number in range(len(examples.sounds))
    ]
    # Those without a stop word come first.
    with_stop = [any(some) for some in labels]
    assert with_stop == sorted(with_stop)
    assert {True, False} == set(with_stop)
    assert all(0 < sum(some) < len(some) for some in labels if any(some))
    assert all(end + 1 >= FRAMES for _, end in examples.ends)


def test_a_folder_without_stop_words_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r'there is no \*\.wav'):
        recording_examples(tmp_path, 0)
