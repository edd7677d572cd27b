"""Sound, and what is said: what the speech node exchanges with the others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]
"""Samples of one channel, signed 16 bit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sound:
    """A piece of sound of 8,000 to 192,000 samples a second. `stamp_s`: ROS time of its first sample."""

    samples: Samples
    sample_rate_hz: int
    stamp_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something said by a person, or to be said by the robot.

    Attributes:
        person: who spoke, or to whom the robot speaks; empty: not known.
        confidence: 0 to 1; 1 for typed text.
        stamp_s: ROS time of its beginning.
        audio_s: length of the sound; 0 for typed text.
        transcription_s: wall time that the transcription took.
        language: ISO 639-1; empty: not known.
    """

    text: str
    person: str = ''
    confidence: float = 1.0
    stamp_s: float = 0.0
    audio_s: float = 0.0
    transcription_s: float = 0.0
    language: str = ''
