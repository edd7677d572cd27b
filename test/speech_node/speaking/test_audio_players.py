"""Sound goes out in real time, stops within a chunk, and is remembered with its time."""

import threading
import time

import numpy as np
import pytest

from lucca_core.errors import ConfigError
from speech_node.audio import CHUNK, CHUNK_S, RATE_HZ
from speech_node.speaking.audio_players import ChunkPlayer, make_player


class Sink:
    """Takes chunks, and tells when there are enough."""

    def __init__(self):
        self.chunks = []
        self.changed = threading.Condition()

    def __call__(self, samples):
        with self.changed:
            self.chunks.append((time.monotonic(), samples))
            self.changed.notify_all()

    def wait(self, count, timeout_s=10.0):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.chunks) >= count, timeout_s)


@pytest.fixture
def sink():
    return Sink()


@pytest.fixture
def player(sink):
    player = ChunkPlayer(sink)
    yield player
    player.close()


def test_sound_goes_out_in_order_and_not_faster_than_it_sounds(player, sink):
    sound = np.arange(6 * CHUNK, dtype=np.int16)
    player.play(sound)
    sink.wait(6)
    assert np.array_equal(np.concatenate([samples for _, samples in sink.chunks]), sound)
    assert sink.chunks[-1][0] - sink.chunks[0][0] > 4.5 * CHUNK_S


def test_after_stop_no_more_than_the_chunk_that_sounds(player, sink):
    player.play(np.ones(100 * CHUNK, dtype=np.int16))
    sink.wait(2)
    player.stop()
    count = len(sink.chunks)
    until = time.monotonic() + 5.0
    while player.playing and time.monotonic() < until:
        sink.changed.acquire()
        sink.changed.wait(0.01)
        sink.changed.release()
    assert not player.playing
    assert len(sink.chunks) <= count + 1


def test_what_was_played_is_remembered_at_its_time(sink):
    player = ChunkPlayer(sink, delay_s=0.06)
    sound = (1 + np.arange(4 * CHUNK)).astype(np.int16)
    player.play(sound)
    sink.wait(4)
    began_s = player._played[0][0]
    assert np.array_equal(player.reference(began_s, 4 * CHUNK), sound)
    later = player.reference(began_s + 100 / RATE_HZ, CHUNK)
    assert np.array_equal(later, sound[100 : 100 + CHUNK])
    assert not player.reference(began_s - 10.0, CHUNK).any()
    assert abs(began_s - sink.chunks[0][0] - 0.06) < 0.05
    player.close()


def test_specs():
    assert make_player('none', lambda _: None) is None
    with pytest.raises(ConfigError, match='player must be'):
        make_player('trumpet', lambda _: None)


def test_a_lost_device_costs_what_was_to_be_said_and_not_the_voice():
    heard, lost = [], threading.Event()

    def sink(samples):
        if not lost.is_set():
            lost.set()
            raise OSError('unplugged')
        heard.append(samples)

    player = ChunkPlayer(sink)
    player.play(np.ones(5 * CHUNK, dtype=np.int16))
    assert lost.wait(5.0)
    deadline_s = time.monotonic() + 5.0
    while player.playing:
        assert time.monotonic() < deadline_s
    player.play(np.ones(CHUNK, dtype=np.int16))
    while not heard:
        assert time.monotonic() < deadline_s
    player.close()
