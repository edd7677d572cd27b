"""Conversions of sounds and utterances."""

import numpy as np
from lucca_interfaces import msg

from lucca_core.protocol.speech import Sound, Utterance
from lucca_ros.conversions.conversion import Conversion, mirrored
from lucca_ros.conversions.stamps import seconds, time_from_msg, time_to_msg


def sound_to_msg(sound: Sound) -> msg.Audio:
    """Converts a piece of sound."""
    audio = msg.Audio(stamp=time_to_msg(sound.stamp_s), sample_rate_hz=sound.sample_rate_hz)
    # Copied as bytes, because element by element takes 100 times as long.
    audio.samples.frombytes(sound.samples.astype('<i2').tobytes())
    return audio


def sound_from_msg(audio: msg.Audio) -> Sound:
    """Converts a piece of sound."""
    return Sound(
        samples=np.array(audio.samples, dtype=np.int16),
        sample_rate_hz=int(audio.sample_rate_hz),
        stamp_s=time_from_msg(audio.stamp),
    )


SOUND = Conversion(Sound, msg.Audio, sound_to_msg, sound_from_msg)
UTTERANCE = mirrored(Utterance, msg.Utterance, {'stamp': seconds('stamp_s')})
