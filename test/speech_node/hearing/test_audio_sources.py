"""Where sound comes from."""

import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError, SpeechError
from speech_node.audio import CHUNK, CHUNK_S, write_wav
from speech_node.hearing.audio_sources import QueueSource, WavSource, load_sounddevice, make_source


def ramp(count, start=0):
    return np.arange(start, start + count, dtype=np.int16)


@given(st.lists(st.integers(0, 3 * CHUNK), max_size=12))
def test_pieces_of_any_length_come_out_in_order_and_whole(lengths):
    source = QueueSource(clock=lambda: 1.0)
    sent = 0
    for length in lengths:
        source.put(ramp(length, sent % 20_000))
        sent += length
    read = []
    while (chunk := source.read(0.0)) is not None:
        assert len(chunk.samples) == CHUNK
        read.append(chunk.samples)
    assert len(read) == sent // CHUNK
    assert source.dropped == 0


def test_of_a_piece_longer_than_anybody_waits_the_end_is_heard_and_the_rest_counted(monkeypatch):
    lengths = []
    monkeypatch.setattr(
        'speech_node.hearing.audio_sources.resampled',
        lambda samples, rate_hz: lengths.append(len(samples)) or samples[::2],
    )
    source = QueueSource(longest_s=4 * CHUNK_S)
    source.put(ramp(CHUNK * 2 * 50), 32_000)
    assert lengths == [4 * CHUNK * 2]
    assert source.dropped == 46
    assert source.read(0.0).samples[0] == ramp(CHUNK * 2 * 50)[46 * CHUNK * 2]


def test_each_chunk_knows_when_it_ended():
    source = QueueSource(clock=lambda: 10.0)
    source.put(ramp(2 * CHUNK + 160))
    first, second = source.read(0.0), source.read(0.0)
    assert first.end_s == pytest.approx(10.0 - CHUNK_S - 0.01)
    assert second.end_s == pytest.approx(10.0 - 0.01)
    assert second.start_s == pytest.approx(first.end_s)


def ends_of(came_s):
    """The ends of chunks that came at these times, one each."""
    times = iter(came_s)
    source = QueueSource(clock=lambda: next(times))
    for _ in came_s:
        source.put(ramp(CHUNK))
    return [source.read(0.0).end_s for _ in came_s]


@given(st.floats(0.02, 0.2), st.lists(st.floats(0, 0.005), min_size=5, max_size=40))
def test_a_first_piece_that_came_late_moves_no_later_one_to_a_time_before_it_was_there(late_s, jitter_s):
    came_s = [10.0 + late_s, *(10.0 + (number + 1) * CHUNK_S + more for number, more in enumerate(jitter_s))]
    ends_s = ends_of(came_s)
    for number, end_s in enumerate(ends_s[1:], 1):
        assert abs(end_s - (10.0 + number * CHUNK_S)) < 0.011
    assert np.all(np.diff(ends_s[1:]) > 0.9 * CHUNK_S)


def test_what_nobody_reads_is_dropped_oldest_first():
    source = QueueSource(longest_s=2 * CHUNK_S)
    source.put(ramp(4 * CHUNK))
    assert source.dropped == 2
    assert source.read(0.0).samples[0] == 2 * CHUNK


def test_who_waits_is_woken_by_the_end():
    source = QueueSource()
    thread = threading.Timer(0.05, source.close)
    thread.start()
    assert source.read(5.0) is None
    assert source.ended
    thread.join()


def test_a_file_comes_whole_and_as_fast_as_it_would_be_spoken(tmp_path):
    file = tmp_path / 'a.wav'
    write_wav(file, ramp(3 * CHUNK + 1))
    source = WavSource(file)
    chunks = []
    while not source.ended:
        if (chunk := source.read(1.0)) is not None:
            chunks.append(chunk)
    assert len(chunks) == 4
    assert np.array_equal(np.concatenate([item.samples for item in chunks])[: 3 * CHUNK + 1], ramp(3 * CHUNK + 1))
    assert chunks[-1].end_s - chunks[0].end_s == pytest.approx(3 * CHUNK_S)
    assert source.read(0.1) is None


def test_a_file_that_is_closed_has_ended(tmp_path):
    file = tmp_path / 'a.wav'
    write_wav(file, ramp(50 * CHUNK))
    source = WavSource(file)
    source.close()
    assert source.ended


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SpeechError, match=r'gone\.wav cannot be read'):
        make_source(f'wav:{tmp_path}/gone.wav')


def test_specs():
    assert make_source('none') is None
    assert isinstance(make_source('topic'), QueueSource)
    for wrong in ('wav', 'wav:', 'radio', ''):
        with pytest.raises(ConfigError, match='source must be'):
            make_source(wrong)


def test_without_the_audio_library_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sounddevice', None)
    with pytest.raises(SpeechError, match='libportaudio2'):
        load_sounddevice()
