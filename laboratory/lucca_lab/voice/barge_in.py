"""Barge-in latency: how soon the robot notices a person who speaks while it is speaking itself.

The robot's own voice returns as an echo, and the person starts at a random moment. The audio passes through the node's
`Listener` chunk by chunk; only loudspeaker, room and microphone are simulated.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lucca_core.protocol.speech import Samples
from lucca_lab.voice.noise import silence
from lucca_lab.voice.sentences import talk
from lucca_lab.voice.stop_examples import PATIENCE_S
from lucca_lab.voice.stop_voices import FRESH_SPEEDS, FRESH_VOICES
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ, to_samples
from speech_node.config import SpeechConfig
from speech_node.hearing.listener import BargeIn, Listener
from speech_node.hearing.voice_activity import SileroActivity
from speech_node.interfaces import Chunk
from speech_node.speaking.espeak_speaker import EspeakSpeaker

ECHO_DB, ECHO_DELAY_S = -10.0, 0.06
BUDGET_MS = 150.0
QUIET_NOISE = 20.0
"""Standard deviation of the noise of a quiet room, in 16-bit steps."""
ROBOT = (
    'I have sorted everything on the table. Shall I go on with the tower now?',
    'There are three cubes and a banana in front of me. The bowl is empty.',
    'I could not find the orange. It may lie behind the box, where I do not see it.',
    'The recipe needs sugar and milk. I begin with the milk, if nobody minds.',
)
_LEAST_S, _REST_S = 0.4, 0.8
"""Speech of the robot (s) that a person waits for at least, and that remains at least when the person begins."""
_HEARD = 0.05


class Loudspeaker:
    """A player that plays one sound from the start on."""

    def __init__(self, sound: Samples) -> None:
        self._sound = sound
        self.playing = True

    def play(self, samples: Samples) -> None:
        """Does nothing: no other sound is played."""

    def stop(self) -> None:
        """Does nothing, so that the sound plays on: only the time of this call is measured."""

    def close(self) -> None:
        """Does nothing, since there is nothing to close."""

    def reference(self, start_s: float, count: int) -> Samples:
        """The part of the sound that is played at a time."""
        start = round(start_s * RATE_HZ)
        found = np.zeros(count, dtype=np.int16)
        part = self._sound[max(0, start) : max(0, start + count)]
        found[: len(part)] = part
        return found


@dataclass(frozen=True, slots=True)
class Onset:
    """One person who begins to speak over the robot. `learned`: the robot has spoken before."""

    robot: str
    text: str
    voice: str
    words_per_minute: int
    share: float
    learned: bool
    seed: int


def onsets(count: int, seed: int) -> list[Onset]:
    """Draws onsets: half over the very first words of the robot, half after it has spoken before."""
    rng = random.Random(seed)
    return [
        Onset(
            rng.choice(ROBOT),
            text,
            FRESH_VOICES[number % len(FRESH_VOICES)],
            FRESH_SPEEDS[number // len(FRESH_VOICES) % len(FRESH_SPEEDS)],
            rng.random(),
            bool(number % 2),
            seed + number,
        )
        for number, text in enumerate(talk(rng, count))
    ]


def silenced_after_ms(onset: Onset) -> float | None:
    """Latency from the person's first sound to the end of the chunk in which it is noticed (ms).

    It is None if the person is never noticed, and negative if the robot reacts before the person speaks.
    """
    own, begins = _robot(onset)
    person = EspeakSpeaker(onset.voice, words_per_minute=onset.words_per_minute, timeout_s=PATIENCE_S).synthesise(
        onset.text
    )
    room = max(0, len(own) - begins - round((_LEAST_S + _REST_S) * RATE_HZ))
    began = begins + round(_LEAST_S * RATE_HZ) + round(onset.share * room)
    microphone = _echo(own, onset.seed)
    part = person[: len(microphone) - began]
    microphone[began : began + len(part)] += part
    first = began + int(
        np.flatnonzero(np.abs(person.astype(np.int32)) > _HEARD * np.abs(person.astype(np.int32)).max())[0]
    )
    at_s = _barge_in_s(own, to_samples(microphone))
    return None if at_s is None else 1e3 * (at_s - first / RATE_HZ)


def hears_itself(said: str, seed: int, noise: float = QUIET_NOISE) -> bool:
    """Whether the robot takes its own voice for another's while nobody else speaks. `noise` is a standard deviation."""
    own = np.concatenate([silence(1.0), EspeakSpeaker(timeout_s=PATIENCE_S).synthesise(said), silence(CHUNK_S)])
    return _barge_in_s(own, to_samples(_echo(own, seed, noise))) is not None


def summary(found: Sequence[float | None]) -> dict[str, Any]:
    """Counts of onsets noticed in time, too early and never, and percentiles of the latency (ms)."""
    times = sorted(time for time in found if time is not None and time >= 0)
    within = sum(time <= BUDGET_MS for time in times)
    return {
        'said': len(found),
        'within': within,
        'share': within / len(found) if found else 0.0,
        'too_early': sum(time is not None and time < 0 for time in found),
        'never': sum(time is None for time in found),
        'budget_ms': BUDGET_MS,
        'percentiles_ms': {share: float(np.percentile(times, share)) for share in (10, 50, 75, 90, 95, 99)}
        if times
        else {},
    }


def _robot(onset: Onset) -> tuple[Samples, int]:
    """The robot's sound, and the sample at which the speech begins that the person interrupts."""
    speaker = EspeakSpeaker(timeout_s=PATIENCE_S)
    own = speaker.synthesise(onset.robot)
    before = speaker.synthesise(ROBOT[(ROBOT.index(onset.robot) + 1) % len(ROBOT)]) if onset.learned else own[:0]
    begin = np.concatenate([silence(0.3), before, silence(0.3)])
    return np.concatenate([begin, own, silence(CHUNK_S)]), len(begin)


def _echo(own: Samples, seed: int, noise: float = QUIET_NOISE) -> np.ndarray[Any, np.dtype[np.float64]]:
    late = np.concatenate([silence(ECHO_DELAY_S), own])[: len(own)] * 10 ** (ECHO_DB / 20)
    return np.asarray(late + np.random.default_rng(seed).normal(scale=noise, size=len(own)))


def _barge_in_s(own: Samples, microphone: Samples) -> float | None:
    listener = Listener(SpeechConfig(), SileroActivity(), None, Loudspeaker(own))
    for start in range(0, len(microphone) - CHUNK + 1, CHUNK):
        end_s = (start + CHUNK) / RATE_HZ
        if any(isinstance(event, BargeIn) for event in listener.hear(Chunk(microphone[start : start + CHUNK], end_s))):
            return end_s
    return None
