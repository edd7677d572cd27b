"""Speech to messages and back; `from_msg` refuses bad input by raising ValueError."""

import numpy as np
from lucca_interfaces.msg import Audio, Utterance

from lucca_ros.conversions import time_to_msg
from speech_node.audio import HIGHEST_RATE_HZ, LOWEST_RATE_HZ, RATE_HZ, Samples
from speech_node.interfaces import Transcript


def audio_to_msg(samples: Samples, start_s: float) -> Audio:
    """A piece of 16 kHz sound whose first sample is from `start_s`, ROS time."""
    msg = Audio(stamp=time_to_msg(start_s), sample_rate_hz=RATE_HZ)
    # Assigned as bytes of the right type: element by element it would take 100 times as long.
    msg.samples.frombytes(samples.astype('<i2').tobytes())
    return msg


def audio_from_msg(msg: Audio) -> tuple[Samples, int]:
    """Samples and their rate in Hz.

    Raises:
        ValueError: the rate is none that sound has.
    """
    if not LOWEST_RATE_HZ <= msg.sample_rate_hz <= HIGHEST_RATE_HZ:
        raise ValueError(f'sample_rate_hz should be {LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ}, got {msg.sample_rate_hz}')
    return np.array(msg.samples, dtype=np.int16), int(msg.sample_rate_hz)


def utterance_to_msg(text: str, person: str, heard: Transcript, *, start_s: float, audio_s: float) -> Utterance:
    """Something heard. `start_s`: when it began, ROS time; `text`: what is passed on of it."""
    return Utterance(
        stamp=time_to_msg(start_s),
        person=person,
        text=text,
        confidence=float(heard.confidence),
        audio_s=float(audio_s),
        transcription_s=float(heard.transcription_s),
        language=heard.language,
    )
