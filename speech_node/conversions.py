"""Conversions between speech values and ROS messages; `from_msg` functions raise ValueError on bad input."""

import numpy as np
from lucca_interfaces.msg import Audio, Utterance

from lucca_ros.conversions.stamps import time_to_msg
from speech_node.audio import HIGHEST_RATE_HZ, LOWEST_RATE_HZ, RATE_HZ, Samples
from speech_node.interfaces import Transcript


def audio_to_msg(samples: Samples, start_s: float) -> Audio:
    """Converts 16 kHz samples; `start_s` is the ROS time of the first one."""
    msg = Audio(stamp=time_to_msg(start_s), sample_rate_hz=RATE_HZ)
    # Copied as bytes: element by element takes 100 times as long.
    msg.samples.frombytes(samples.astype('<i2').tobytes())
    return msg


def audio_from_msg(msg: Audio) -> tuple[Samples, int]:
    """Returns the samples and their rate in Hz.

    Raises:
        ValueError: the rate is out of range.
    """
    if not LOWEST_RATE_HZ <= msg.sample_rate_hz <= HIGHEST_RATE_HZ:
        raise ValueError(f'sample_rate_hz should be {LOWEST_RATE_HZ} to {HIGHEST_RATE_HZ}, got {msg.sample_rate_hz}')
    return np.array(msg.samples, dtype=np.int16), int(msg.sample_rate_hz)


def utterance_to_msg(text: str, person: str, heard: Transcript, *, start_s: float, audio_s: float) -> Utterance:
    """Converts an utterance. `start_s`: ROS time of its beginning; `text`: the text to pass on."""
    return Utterance(
        stamp=time_to_msg(start_s),
        person=person,
        text=text,
        confidence=float(heard.confidence),
        audio_s=float(audio_s),
        transcription_s=float(heard.transcription_s),
        language=heard.language,
    )
