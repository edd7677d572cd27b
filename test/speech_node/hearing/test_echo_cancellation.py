"""The robot does not hear itself, and hears who speaks while it does."""

import numpy as np
import pytest
from spoken import FakePlayer, chunks, speak

from lucca_core.protocol.speech import Samples
from lucca_lab.voice.noise import silence, speech_power
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ, to_samples
from speech_node.config import SpeechConfig
from speech_node.hearing.echo_cancellation import EchoCanceller
from speech_node.hearing.listener import BargeIn, Listener
from speech_node.hearing.voice_activity import SileroActivity
from speech_node.interfaces import UtteranceAudio

OWN = 'I have sorted everything on the table. Shall I go on with the tower now?'
OWN_PAD_S = 0.3


def echo_of(sound: Samples, *, delay_s: float = 0.06, level_db: float = -10.0, room: bool = False) -> Samples:
    """How it comes back to the microphone."""
    kernel = np.zeros(round((delay_s + 0.1) * RATE_HZ))
    kernel[round(delay_s * RATE_HZ)] = 1.0
    if room:
        tail = np.random.default_rng(1).normal(size=800) * np.exp(-np.arange(800) / 200) * 0.15
        kernel[round(delay_s * RATE_HZ) : round(delay_s * RATE_HZ) + 800] += tail
    return to_samples(np.convolve(sound, kernel)[: len(sound)] * 10 ** (level_db / 20))


def noise(count: int, sigma: float = 20.0) -> np.ndarray:
    return np.random.default_rng(2).normal(scale=sigma, size=count)


@pytest.fixture(scope='module')
def own() -> Samples:
    return speak(OWN, voice='en-us+f2', snr_db=60.0, pad_s=OWN_PAD_S)


def hear(own: Samples, microphone: Samples):
    """Events of a listener whose robot plays `own`, with the time at which each came."""
    player = FakePlayer()
    player.sound = own
    listener = Listener(SpeechConfig(), SileroActivity(), None, player)
    found = []
    for chunk in chunks(microphone):
        player.playing = chunk.start_s < len(own) / RATE_HZ
        found += [(chunk.end_s, event) for event in listener.hear(chunk)]
    return found + [(0.0, event) for event in listener.flush()]


@pytest.mark.parametrize('room', [False, True])
def test_an_echo_10_db_down_and_60_ms_late_is_not_heard(own, room):
    microphone = to_samples(echo_of(own, room=room) + noise(len(own)))
    assert hear(own, microphone) == []


def test_a_person_over_the_echo_is_heard_within_150_ms(own):
    person = speak('put the apple in the bowl', snr_db=60.0, pad_s=0.0)
    began = round(1.6 * RATE_HZ)
    microphone = echo_of(own) + noise(len(own))
    microphone[began : began + len(person)] += person
    found = hear(own, to_samples(microphone))
    (barge_s,) = [time_s for time_s, event in found if isinstance(event, BargeIn)]
    # From the first loud sample of the word, as espeak-ng begins with a little silence.
    first = np.flatnonzero(np.abs(person.astype(int)) > 600)[0]
    assert 0 < barge_s - (began + first) / RATE_HZ < 0.15 + CHUNK_S
    assert [event for _, event in found if isinstance(event, UtteranceAudio)]


def test_the_echo_is_learned_and_taken_away(own):
    canceller = EchoCanceller(0.25)
    microphone = echo_of(own, room=True)
    cleaned = [
        canceller.clean(microphone[start : start + CHUNK], own[start : start + CHUNK]).samples
        for start in range(0, len(own) - CHUNK, CHUNK)
    ]
    late = slice(len(own) // 2, len(own) // 2 * 2 - 2 * CHUNK)
    left = np.concatenate(cleaned)[late].astype(float)
    assert 10 * np.log10(speech_power(microphone[late]) / np.mean(left**2)) > 15


@pytest.mark.parametrize('delay_s', [0.02, 0.06, 0.1, 0.16])
def test_what_is_left_is_never_louder_than_what_was_heard(own, delay_s):
    canceller = EchoCanceller(0.25)
    there = to_samples(
        np.concatenate([echo_of(own), echo_of(own, delay_s=delay_s, level_db=-25.0) + noise(len(own), 300.0)])
    )
    for chunk, played in zip(chunks(there), chunks(np.concatenate([own, own])), strict=True):
        cleaned = canceller.clean(chunk.samples, played.samples).samples.astype(np.float64)
        assert np.sum(cleaned**2) <= 1.001 * np.sum(chunk.samples.astype(np.float64) ** 2) + CHUNK


def test_while_nothing_is_played_sound_passes_as_it_is():
    canceller = EchoCanceller(0.25)
    for chunk in chunks(speak('build a tower')):
        cleaned = canceller.clean(chunk.samples, silence(CHUNK_S))
        assert not cleaned.own
        assert np.array_equal(cleaned.samples, chunk.samples)


@pytest.mark.parametrize('sigma', [300.0, 950.0])
def test_its_own_voice_in_steady_noise_is_its_own_from_the_first_word(sigma):
    # As loud as the echo, or a third of it, and there before: the robot answers somebody who has just spoken in it.
    own = np.concatenate([silence(1.2), speak('Did you mean: build a tower?', snr_db=60.0, pad_s=0.0), silence(0.1)])
    microphone = to_samples(echo_of(own) + noise(len(own), sigma))
    assert hear(own, microphone) == []


@pytest.mark.parametrize('delay_s', [0.02, 0.12])
@pytest.mark.parametrize('level_db', [-20.0, -3.0])
def test_another_echo_is_not_heard_either(own, delay_s, level_db):
    microphone = to_samples(echo_of(own, delay_s=delay_s, level_db=level_db) + noise(len(own)))
    assert hear(own, microphone) == []


@pytest.mark.parametrize(('delay_s', 'level_db'), [(0.09, -10.0), (0.06, -3.0), (0.06, -20.0)])
def test_a_room_that_changes_while_the_robot_speaks_is_nobody(own, delay_s, level_db):
    changed = len(own) // 2
    microphone = echo_of(own) + noise(len(own))
    microphone[changed:] += echo_of(own, delay_s=delay_s, level_db=level_db)[changed:] - echo_of(own)[changed:]
    assert hear(own, to_samples(microphone)) == []


def test_where_there_is_only_echo_voice_activity_hears_a_room_as_quiet_as_before(own):
    canceller = EchoCanceller(0.25)
    before = np.zeros(RATE_HZ, dtype=np.int16)
    played = np.concatenate([before, own])
    microphone = to_samples(echo_of(played, level_db=-3.0) + noise(len(played)))
    owns = []
    for chunk, said in zip(chunks(microphone), chunks(played), strict=True):
        cleaned = canceller.clean(chunk.samples, said.samples)
        if cleaned.own:
            assert speech_power(cleaned.others) < 4 * 20.0**2
        else:
            assert np.array_equal(cleaned.others, cleaned.samples)
        if chunk.start_s >= 1.0 + OWN_PAD_S:
            owns.append(cleaned.own)
    assert sum(owns) > 0.8 * len(owns) > 0


def test_a_chunk_that_is_surely_speech_silences_the_robot_alone():
    # Two of 0.5 are needed, or one of 0.8.
    assert [_silenced_at(0.79, 0.0), _silenced_at(0.79, 0.5), _silenced_at(0.8)] == [None, 1, 0]


def _silenced_at(*probabilities: float) -> int | None:
    player = FakePlayer()
    player.playing = True
    listener = Listener(SpeechConfig(), Told(probabilities), None, player)
    for number, chunk in enumerate(chunks(to_samples(noise(len(probabilities) * CHUNK, 1000.0)))):
        if any(isinstance(event, BargeIn) for event in listener.hear(chunk)):
            return number
    return None


class Told:
    """Voice activity that says what it was told to, chunk by chunk."""

    def __init__(self, probabilities: tuple[float, ...]) -> None:
        self._left = list(probabilities)

    def probability(self, samples: Samples) -> float:
        return self._left.pop(0)

    def reset(self) -> None:
        """Nothing is remembered."""
