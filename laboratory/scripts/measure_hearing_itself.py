"""Measures how often the robot mistakes its own voice for another's, in 17 rooms and noises; run by hand.

In each condition the robot says pairs of sentences that no setting was tuned on. They return to the node's `Listener`
as an echo with reverberation and noise. Prints how often the robot fell silent and how many chunks counted as speech.
Needs espeak-ng; 20 pairs take about ten minutes on one core.

    .venv/bin/python laboratory/scripts/measure_hearing_itself.py --pairs 20
    .venv/bin/python laboratory/scripts/measure_hearing_itself.py --pairs 20 --only room 'strong room'
"""

import argparse
import random
import sys
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lucca_core.protocol.speech import Samples
from lucca_lab.voice.barge_in import ECHO_DB, ECHO_DELAY_S, QUIET_NOISE, Loudspeaker
from lucca_lab.voice.noise import silence
from lucca_lab.voice.sentences import UNHEARD_TALK, UNHEARD_WORDS, talk
from lucca_lab.voice.stop_examples import PATIENCE_S
from speech_node.audio import CHUNK, RATE_HZ, to_samples
from speech_node.config import SpeechConfig
from speech_node.hearing.echo_cancellation import EchoCanceller
from speech_node.hearing.listener import BargeIn, Listener
from speech_node.hearing.voice_activity import SileroActivity
from speech_node.interfaces import Chunk
from speech_node.speaking.espeak_speaker import EspeakSpeaker

SEED = 77
REVERBERATION = 1280
"""Number of samples in which a room's reverberation decays by 60 dB: 80 ms."""
NEPERS = 6.9
"""60 dB in nepers."""
CHANGED_AT = 0.55
"""The share of the robot's speech after which a changing room changes."""
LONG_PAIRS, LONG_PAUSE_S = 6, 0.3
LONG_SHARE, LONG_LEAST = 6, 2
"""Long speech is said once for this many pairs, but at least this often."""


@dataclass(frozen=True, slots=True)
class Room:
    """The loudspeaker's sound at the microphone.

    `room` is the amplitude of the reverberation; at 0.1 it is as strong as the direct path.
    """

    delay_s: float = ECHO_DELAY_S
    level_db: float = ECHO_DB
    room: float = 0.0
    seed: int = 0

    def echo(self, sound: Samples) -> NDArray[np.float64]:
        """The echo of a sound, cut to its length."""
        late = round(self.delay_s * RATE_HZ)
        response = np.zeros(late + REVERBERATION)
        response[late] = 1.0
        decay = np.exp(-np.arange(REVERBERATION) * NEPERS / REVERBERATION)
        response[late:] += self.room * np.random.default_rng(self.seed).normal(size=REVERBERATION) * decay
        return np.asarray(np.convolve(sound, response)[: len(sound)] * 10 ** (self.level_db / 20))


@dataclass(frozen=True, slots=True)
class Condition:
    """A room and its noise, a standard deviation in 16-bit steps. `then` is the room to which it changes midway."""

    room: Room = field(default_factory=Room)
    noise: float = QUIET_NOISE
    then: Room | None = None
    voice: str = 'en-us'
    long: bool = False


CONDITIONS = {
    'noise 20': Condition(),
    'noise 300': Condition(noise=300.0),
    'noise 950': Condition(noise=950.0),
    '20 ms late': Condition(Room(delay_s=0.02)),
    '120 ms late': Condition(Room(delay_s=0.12)),
    '20 dB down': Condition(Room(level_db=-20.0)),
    '3 dB down': Condition(Room(level_db=-3.0)),
    'room': Condition(Room(room=0.1)),
    'room, noise 300': Condition(Room(room=0.1), noise=300.0),
    'strong room': Condition(Room(room=0.2)),
    'another delay': Condition(then=Room(delay_s=0.09)),
    '7 dB more': Condition(then=Room(level_db=-3.0)),
    '17 dB less': Condition(Room(level_db=-3.0, room=0.1), then=Room(level_db=-20.0, room=0.1)),
    'another room': Condition(Room(room=0.1), then=Room(room=0.1, seed=5)),
    'another room, delay': Condition(Room(room=0.1), then=Room(delay_s=0.07, room=0.1, seed=5)),
    'long speech': Condition(long=True),
    'another voice': Condition(voice='en-us+f4'),
}


def said(condition: Condition, pairs: list[str]) -> list[Samples]:
    """The robot's speech in a condition, one sound for each trial."""
    speaker = EspeakSpeaker(condition.voice, timeout_s=PATIENCE_S)
    sounds = [speaker.synthesise(pair) for pair in pairs]
    if condition.long:
        return [
            np.concatenate(
                [
                    part
                    for place in range(LONG_PAIRS)
                    for part in (sounds[(trial * LONG_PAIRS + place) % len(sounds)], silence(LONG_PAUSE_S))
                ]
            )
            for trial in range(max(LONG_LEAST, len(pairs) // LONG_SHARE))
        ]
    # If the room changes, the sound is repeated, so that there is enough to learn from before the change.
    return [np.concatenate([sound, sound]) for sound in sounds] if condition.then else sounds


def heard(condition: Condition, sound: Samples, seed: int) -> tuple[bool, int]:
    """Whether the robot fell silent because of its own voice, and the number of chunks taken for somebody's speech."""
    own = np.concatenate([silence(1.0), sound, silence(0.4)])
    echo = condition.room.echo(own)
    if condition.then is not None:
        changed = int(len(own) * CHANGED_AT)
        echo[changed:] = condition.then.echo(own)[changed:]
    noise = np.random.default_rng(seed).normal(scale=condition.noise, size=len(own))
    microphone = to_samples(echo + noise)
    player, activity, config = Loudspeaker(own), Remembering(), SpeechConfig()
    listener = Listener(config, activity, None, player)
    # This canceller hears the same as the listener's own, and therefore shows what that takes for the robot's voice.
    canceller = EchoCanceller(config.echo_s)
    silenced, taken = False, 0
    for start in range(0, len(microphone) - CHUNK + 1, CHUNK):
        chunk = Chunk(microphone[start : start + CHUNK], (start + CHUNK) / RATE_HZ)
        silenced |= any(isinstance(event, BargeIn) for event in listener.hear(chunk))
        own_voice = canceller.clean(chunk.samples, player.reference(chunk.start_s, CHUNK)).own
        taken += not own_voice and activity.last >= config.speech_probability
    return silenced, taken


class Remembering:
    """Voice activity that keeps its last probability."""

    def __init__(self) -> None:
        self._activity = SileroActivity()
        self.last = 0.0

    def probability(self, samples: Samples) -> float:
        self.last = self._activity.probability(samples)
        return self.last

    def reset(self) -> None:
        self._activity.reset()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--pairs', type=int, default=20, help='pairs of sentences in each condition')
    parser.add_argument('--only', nargs='+', choices=CONDITIONS, default=list(CONDITIONS), metavar='CONDITION')
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error(f'--pairs must be at least 1, got {options.pairs}')
    sentences = talk(random.Random(SEED), 2 * options.pairs, UNHEARD_TALK, UNHEARD_WORDS)
    pairs = [f'{one}. {other}.' for one, other in zip(sentences[::2], sentences[1::2], strict=True)]
    for name in options.only:
        condition = CONDITIONS[name]
        found = [heard(condition, sound, seed) for seed, sound in enumerate(said(condition, pairs))]
        silenced, taken = sum(one for one, _ in found), sum(chunks for _, chunks in found)
        sys.stdout.write(f'{name:<20} fell silent {silenced} of {len(found)}, chunks taken for speech {taken}\n')
        sys.stdout.flush()


if __name__ == '__main__':
    main()
