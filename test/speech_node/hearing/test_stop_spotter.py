"""The stop word in running sound."""

from importlib import resources

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from spoken import speak

from lucca_core.errors import SpeechError
from lucca_core.stop_command import STOP_WORDS
from lucca_lab.voice.stop_examples import Examples
from lucca_lab.voice.stop_training import highest_probability, train
from lucca_lab.voice.stop_voices import OTHER_SPEEDS, OTHER_VOICES
from speech_node.audio import CHUNK, FULL_SCALE, RATE_HZ
from speech_node.config import SpeechConfig
from speech_node.hearing.listener import Listener, StopHeard
from speech_node.hearing.stop_spotter import (
    BANDS,
    FRAME,
    FRAMES,
    HOP,
    STRIDE,
    NetworkStopSpotter,
    StopNetwork,
    log_mel,
    normalised,
)
from speech_node.interfaces import Chunk

THRESHOLD = SpeechConfig().stop_probability
WEIGHTS = (resources.files('speech_node.hearing') / 'stop_words.npz').read_bytes()


@pytest.fixture(scope='module')
def spotter():
    return NetworkStopSpotter()


@pytest.mark.parametrize('word', STOP_WORDS)
@pytest.mark.parametrize(('voice', 'speed'), list(zip(OTHER_VOICES[:3], OTHER_SPEEDS, strict=True)))
def test_a_stop_word_of_a_new_voice_is_heard(spotter, word, voice, speed):
    assert highest_probability(spotter, speak(word, voice, speed, snr_db=20.0)) >= THRESHOLD


@pytest.mark.parametrize(
    'text',
    ['put the lemon in box two', 'let us talk about the tower on monday', 'please call a friend of mine back later'],
)
def test_other_speech_is_no_stop(spotter, text):
    assert highest_probability(spotter, speak(text, OTHER_VOICES[3], OTHER_SPEEDS[0], snr_db=20.0)) < THRESHOLD


@pytest.mark.parametrize('sigma', [0.0, 30.0, 3000.0])
def test_neither_silence_nor_noise_is_a_stop(spotter, sigma):
    sound = np.random.default_rng(3).normal(scale=sigma, size=RATE_HZ * 3).astype(np.int16)
    assert highest_probability(spotter, sound) < THRESHOLD


def test_how_loud_it_is_makes_no_difference(spotter):
    sound = speak('stop', 'en-us+f3', snr_db=20.0)
    assert highest_probability(spotter, (sound // 10).astype(np.int16)) >= THRESHOLD


def test_one_word_is_one_stop_and_a_second_is_another(spotter):
    word = speak('stop', snr_db=30.0, pad_s=1.2)
    listener = Listener(SpeechConfig(), Quiet(), spotter, None)
    spotter.reset()
    sound = np.concatenate([word, word])
    stops = []
    for number in range(len(sound) // CHUNK):
        chunk = Chunk(sound[number * CHUNK : (number + 1) * CHUNK], (number + 1) * CHUNK / RATE_HZ)
        stops += [event for event in listener.hear(chunk) if isinstance(event, StopHeard)]
    assert len(stops) == 2


class Quiet:
    """Voice activity that hears nobody."""

    def probability(self, samples):
        return 0.0

    def reset(self):
        pass


def test_chunks_give_the_same_frames_as_the_whole():
    sound = speak('halt')
    whole = log_mel(sound)
    assert whole.shape[1] == BANDS
    spotter = NetworkStopSpotter()
    for start in range(0, 40 * CHUNK, CHUNK):
        spotter.hear(sound[start : start + CHUNK])
    last = 40 * CHUNK // HOP - FRAME // HOP
    assert np.allclose(spotter._frames[-FRAMES:], whole[last + 1 - FRAMES : last + 1], atol=1e-4)


def test_mel_energies_grow_with_the_square_of_the_level():
    sound = (speak('halt').astype(float) / FULL_SCALE * 20_000).astype(np.int16)
    difference = log_mel((sound // 2).astype(np.int16)) - log_mel(sound)
    loud = log_mel(sound) > 12
    assert np.allclose(difference[loud], -2 * np.log(2), atol=0.2)


def test_training_tells_two_kinds_of_windows_apart():
    pytest.importorskip('torch', reason='training needs torch')
    rng = np.random.default_rng(0)
    examples = Examples()
    pattern = rng.normal(scale=2.0, size=(FRAMES, BANDS))
    for number in range(120):
        mel = (8 + rng.normal(size=(FRAMES, BANDS)) + (number % 2) * pattern).astype(np.float32)
        examples.add(mel, {FRAMES - 1: number % 2})
    network = train(examples, epochs=24, seed=0, told=lambda _: None)
    fresh = (8 + rng.normal(size=(20, FRAMES, BANDS))).astype(np.float32)
    without = network.probabilities(normalised(fresh))
    with_it = network.probabilities(normalised(fresh + pattern.astype(np.float32)))
    assert without.max() < with_it.min()
    assert np.median(without) < 0.5 < np.median(with_it)
    further = train(examples, epochs=2, seed=0, told=lambda _: None, start=network)
    assert further.probabilities(normalised(fresh)).max() < 0.5
    assert np.median(further.probabilities(normalised(fresh + pattern.astype(np.float32)))) > 0.5
    assert np.abs(further.layers[0][0] - network.layers[0][0]).max() < 0.2


def test_weights_are_saved_and_read_again(tmp_path):
    network = StopNetwork.load()
    network.save(tmp_path / 'copy.npz')
    again = StopNetwork.load(tmp_path / 'copy.npz')
    for layer, other in zip(network.layers, again.layers, strict=True):
        assert np.array_equal(layer[0], other[0])
        assert np.array_equal(layer[1], other[1])


def test_the_convolutions_are_those_that_it_was_trained_with():
    torch = pytest.importorskip('torch', reason='compared with torch')
    network = StopNetwork.load()
    windows = np.random.default_rng(0).normal(size=(5, FRAMES, BANDS)).astype(np.float32)
    (first, first_bias), (second, second_bias), (hidden, hidden_bias), (out, out_bias) = (
        (torch.from_numpy(weights), torch.from_numpy(biases)) for weights, biases in network.layers
    )
    seen = torch.relu(torch.conv2d(torch.from_numpy(windows)[:, None], first, first_bias, stride=STRIDE))
    seen = torch.relu(torch.conv2d(seen, second, second_bias, stride=STRIDE)).flatten(1)
    said = torch.sigmoid(torch.relu(seen @ hidden.T + hidden_bias) @ out.T + out_bias)[:, 0]
    assert np.allclose(network.probabilities(windows), said.numpy(), atol=1e-5)


@pytest.mark.parametrize('content', [None, b'', b'nothing'])
def test_wrong_weights_are_refused_by_name(tmp_path, content):
    file = tmp_path / 'weights.npz'
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SpeechError, match=r'weights\.npz'):
        StopNetwork.load(file)


def test_weights_of_another_shape_are_refused(tmp_path):
    file = tmp_path / 'weights.npz'
    layers = {
        f'{name}{end}': np.zeros((3, 2)) for name in ('first', 'second', 'hidden', 'out') for end in ('', '_bias')
    }
    np.savez(file, **layers)
    with pytest.raises(SpeechError, match=r'weights\.npz: weights must have the shapes'):
        StopNetwork.load(file)


@given(place=st.integers(0, len(WEIGHTS) - 1), bit=st.integers(0, 7))
@example(place=47615, bit=0)  # an array's header without its last bracket
def test_damaged_weights_are_read_or_refused_by_name(tmp_path_factory, place, bit):
    file = tmp_path_factory.getbasetemp() / 'weights.npz'
    file.write_bytes(WEIGHTS[:place] + bytes([WEIGHTS[place] ^ 1 << bit]) + WEIGHTS[place + 1 :])
    told = 'weights.npz'
    try:
        StopNetwork.load(file)
    except SpeechError as error:
        told = str(error)
    assert 'weights.npz' in told


@pytest.mark.parametrize('weight', [np.nan, np.inf, 1e30])
def test_weights_that_are_no_numbers_to_multiply_with_are_refused(tmp_path, weight):
    network = StopNetwork.load()
    first, *others = network.layers
    weights = first[0].copy()
    weights.flat[3] = weight
    named = {}
    for name, (values, biases) in zip(
        ('first', 'second', 'hidden', 'out'), ((weights, first[1]), *others), strict=True
    ):
        named |= {name: values, f'{name}_bias': biases}
    np.savez(tmp_path / 'weights.npz', **named)
    with pytest.raises(SpeechError, match=r'weights\.npz: first must hold numbers below'):
        StopNetwork.load(tmp_path / 'weights.npz')
