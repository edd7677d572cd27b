"""Where speech begins and ends."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from speech_node.audio import CHUNK, CHUNK_S
from speech_node.config import SpeechConfig
from speech_node.hearing.utterance_segmenter import UtteranceSegmenter
from speech_node.interfaces import Chunk, UtteranceAudio

CONFIG = SpeechConfig(start_s=0.064, preroll_s=0.16, pause_s=0.176, longest_s=1.0)


def run(loud):
    """Utterances in chunks that are loud or not.

    Each sample holds the number of its chunk; in a loud chunk, the first half of the samples is far louder.
    """
    segmenter = UtteranceSegmenter(CONFIG)
    found = []
    for number, is_loud in enumerate(loud):
        samples = np.full(CHUNK, number, dtype=np.int16)
        samples[: CHUNK // 2] += 10_000 * is_loud
        result = segmenter.add(Chunk(samples, (number + 1) * CHUNK_S), 0.9 if is_loud else 0.1)
        if isinstance(result, UtteranceAudio):
            found.append(result)
    return found, segmenter


def numbers_of(segment):
    """The chunks that are in it, in order."""
    return segment.samples[CHUNK - 1 :: CHUNK].tolist()


def ends(powers, loud, config=CONFIG):
    """The first segment of chunks of these levels (root mean square) that the model takes for speech or not."""
    segmenter = UtteranceSegmenter(config)
    for number, (level, is_loud) in enumerate(zip(powers, loud, strict=True)):
        chunk = Chunk(np.full(CHUNK, level, dtype=np.int16), (number + 1) * CHUNK_S)
        result = segmenter.add(chunk, 0.9 if is_loud else 0.1)
        if isinstance(result, UtteranceAudio):
            return result, number
    return None, None


def test_something_said_has_its_preroll_and_ends_after_the_pause():
    loud = [False] * 20 + [True] * 10 + [False] * 10
    (segment,), _ = run(loud)
    numbers = numbers_of(segment)
    assert numbers[0] == 20 - 5
    assert numbers[-1] == 29 + 5
    assert segment.start_s == 15 * CHUNK_S
    assert abs(segment.end_s - 30 * CHUNK_S) < 1e-9


def test_a_click_is_nothing_said():
    assert run([False] * 10 + [True] + [False] * 20)[0] == []


def test_the_longest_is_cut():
    segments, segmenter = run([True] * 70)
    assert [len(item.samples) // CHUNK for item in segments] == [31, 31]
    assert segmenter.flush() is not None


def test_what_is_being_said_can_be_ended_and_forgotten():
    _, segmenter = run([True] * 5)
    assert isinstance(segmenter.flush(), UtteranceAudio)
    assert segmenter.flush() is None
    _, segmenter = run([True] * 5)
    segmenter.reset()
    assert segmenter.flush() is None


@example([True] * 32)  # ends one chunk after an utterance of the longest kind is cut
@given(st.lists(st.booleans(), max_size=200))
def test_no_chunk_is_in_the_speech_of_two_segments_and_none_of_speech_is_lost(loud):
    segments, segmenter = run(loud + [False] * 10)
    rest = segmenter.flush()
    everything = [set(numbers_of(item)) for item in [*segments, *([rest] if rest else [])]]
    pairs = [number for number in range(1, len(loud)) if loud[number] and loud[number - 1]]
    for number in pairs:
        assert any(number in item for item in everything)
    for segment in segments:
        assert np.all(np.diff(numbers_of(segment)) > 0)
        assert segment.start_s < segment.end_s


PATIENT = SpeechConfig(start_s=0.064, preroll_s=0.16, pause_s=0.528, longest_s=4.0)


def test_the_pause_counts_from_the_last_sound_where_the_model_still_takes_noise_for_speech():
    quiet, speech = [100] * 20, [3000] * 20
    segment, number = ends(quiet + speech + [100] * 30, [False] * 20 + [True] * 23 + [False] * 27, PATIENT)
    assert abs(segment.end_s - 40 * CHUNK_S) < 1e-9
    assert number == 40 + 16 - 1


def test_no_more_than_a_third_of_the_pause_is_taken_for_hanging_on():
    # Speech in a noise that begins with it and is as loud: nothing tells where it ended but the model.
    segment, number = ends([100] * 20 + [3000] * 60, [False] * 20 + [True] * 20 + [False] * 40, PATIENT)
    assert abs(segment.end_s - 36 * CHUNK_S) < 1e-9
    assert number == 40 + 12 - 1


def test_a_voice_that_dies_away_has_ended_thirty_decibel_below_its_peak():
    dying = [3000, 1000, 300, 110, 90, 80, 1, 1]
    segment, _ = ends([1] * 20 + [5000] * 10 + dying + [1] * 30, [False] * 20 + [True] * 18 + [False] * 30, PATIENT)
    assert abs(segment.end_s - 34 * CHUNK_S) < 1e-9


@given(st.lists(st.tuples(st.integers(0, 8000), st.booleans()), max_size=120))
def test_speech_goes_on_as_long_as_the_model_hears_some_within_two_thirds_of_the_pause(said):
    segmenter = UtteranceSegmenter(PATIENT)
    since = 0
    for number, (level, is_loud) in enumerate(said):
        since = 0 if is_loud else since + 1
        result = segmenter.add(
            Chunk(np.full(CHUNK, level, dtype=np.int16), (number + 1) * CHUNK_S), 0.9 if is_loud else 0.1
        )
        if isinstance(result, UtteranceAudio):
            assert since >= 12
            assert result.start_s < result.end_s <= (number + 1 - since) * CHUNK_S + 1e-9
