"""Voice activity tells speech from noise."""

import numpy as np
import pytest
from spoken import chunks, speak

from lucca_core.errors import ConfigError
from speech_node.audio import CHUNK
from speech_node.hearing.voice_activity import make_activity


@pytest.mark.parametrize('spec', ['silero', 'energy'])
def test_speech_is_found_where_it_is(spec):
    activity = make_activity(spec)
    said = [activity.probability(chunk.samples) for chunk in chunks(speak('put the apple in the bowl'))]
    assert max(said[:20]) < 0.5
    assert np.mean(np.array(said[28:-30]) > 0.5) > (0.8 if spec == 'silero' else 0.6)
    activity.reset()
    assert activity.probability(np.zeros(CHUNK, dtype=np.int16)) < 0.5


def test_steady_noise_is_no_speech_for_the_model():
    rng = np.random.default_rng(0)
    activity = make_activity('silero')
    assert max(activity.probability(rng.normal(scale=300, size=CHUNK).astype(np.int16)) for _ in range(60)) < 0.5


@pytest.mark.parametrize('spec', ['silero', 'energy'])
def test_a_chunk_of_another_length_is_a_mistake(spec):
    with pytest.raises(ValueError, match='a chunk has 512 samples'):
        make_activity(spec).probability(np.zeros(100, dtype=np.int16))


def test_an_unknown_spec_is_refused():
    with pytest.raises(ConfigError, match='activity must be silero or energy'):
        make_activity('loud')
