"""The air of the spoken demo."""

import time

import numpy as np
import pytest

from lucca_lab.voice.acoustics import AcousticRoom
from speech_node.audio import CHUNK, RATE_HZ


@pytest.mark.parametrize('missing', [0, 100, CHUNK - 1])
def test_a_sound_was_said_when_the_chunk_with_its_last_sample_was_sent_less_what_fills_that(missing):
    sent = []
    room = AcousticRoom(lambda samples: sent.append((time.monotonic(), np.abs(samples).max() > 1000)))
    try:
        said_s = room.say(np.full(4 * CHUNK - missing, 5000, dtype=np.int16), 0.0)
        now_s = time.monotonic()
    finally:
        room.close()
    last_s = [at_s for at_s, loud in sent if loud][-1]
    assert last_s <= said_s + missing / RATE_HZ <= now_s
