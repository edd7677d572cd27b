"""Sounds and utterances, which the speech node exchanges with the other nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]
"""Samples of one channel, signed, 16 bits each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sound:
    """A piece of sound with 8,000 to 192,000 samples per second. `stamp_s`: ROS time of its first sample."""

    samples: Samples
    sample_rate_hz: int
    stamp_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something said by a person, or to be said by the robot.

    Attributes:
        person: the speaker, or the person the robot speaks to; empty if unknown.
        confidence: 0 to 1; 1 for typed text.
        stamp_s: ROS time of its beginning.
        audio_s: length of the sound; 0 for typed text.
        transcription_s: wall time that the transcription took.
        language: ISO 639-1 code; empty if unknown.
    """

    text: str
    person: str = ''
    confidence: float = 1.0
    stamp_s: float = 0.0
    audio_s: float = 0.0
    transcription_s: float = 0.0
    language: str = ''
