"""Where speech begins and ends."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from speech_node.audio import CHUNK, CHUNK_S
from speech_node.config import SpeechConfig
from speech_node.ports import Chunk, Segment
from speech_node.segmenter import Edge, Segmenter

CONFIG = SpeechConfig(start_s=0.064, preroll_s=0.16, pause_s=0.16, longest_s=1.0)


def run(loud):
    """Segments of chunks that are loud or not; each sample holds the number of its chunk."""
    segmenter = Segmenter(CONFIG)
    found = []
    for number, is_loud in enumerate(loud):
        chunk = Chunk(np.full(CHUNK, number, dtype=np.int16), (number + 1) * CHUNK_S)
        result = segmenter.add(chunk, 0.9 if is_loud else 0.1)
        if isinstance(result, Segment):
            found.append(result)
    return found, segmenter


def test_something_said_has_its_preroll_and_ends_after_the_pause():
    loud = [False] * 20 + [True] * 10 + [False] * 10
    (segment,), _ = run(loud)
    numbers = sorted(set(segment.samples.tolist()))
    assert numbers[0] == 20 - 5
    assert numbers[-1] == 29 + 5
    assert segment.start_s == 15 * CHUNK_S
    assert abs(segment.end_s - 30 * CHUNK_S) < 1e-9


def test_a_click_is_nothing_said():
    assert run([False] * 10 + [True] + [False] * 20)[0] == []


def test_the_longest_is_cut():
    segments, segmenter = run([True] * 70)
    assert [len(item.samples) // CHUNK for item in segments] == [31, 31]
    assert segmenter.speaking


def test_what_is_being_said_can_be_ended_and_forgotten():
    _, segmenter = run([True] * 5)
    assert isinstance(segmenter.flush(), Segment)
    assert segmenter.flush() is None
    _, segmenter = run([True] * 5)
    segmenter.reset()
    assert not segmenter.speaking


def test_the_beginning_is_told_once():
    segmenter = Segmenter(CONFIG)
    edges = [segmenter.add(Chunk(np.zeros(CHUNK, dtype=np.int16), 0.0), 1.0) for _ in range(6)]
    assert edges.count(Edge.STARTED) == 1


@given(st.lists(st.booleans(), max_size=200))
def test_no_chunk_is_in_the_speech_of_two_segments_and_none_of_speech_is_lost(loud):
    segments, segmenter = run(loud + [False] * 10)
    rest = segmenter.flush()
    everything = [set(item.samples.tolist()) for item in [*segments, *([rest] if rest else [])]]
    pairs = [number for number in range(1, len(loud)) if loud[number] and loud[number - 1]]
    for number in pairs:
        assert any(number in item for item in everything)
    for segment in segments:
        assert np.all(np.diff(segment.samples.astype(int)) >= 0)
        assert segment.start_s < segment.end_s
