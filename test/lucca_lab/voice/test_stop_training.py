"""The threshold of the stop spotter, by its rule."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.voice.stop_training import chosen


@given(st.lists(st.floats(0.5, 1), min_size=1, max_size=300))
def test_97_of_100_words_reach_the_threshold_and_fewer_the_next_one(heard: list[float]) -> None:
    threshold = chosen(heard)
    assert sum(value >= threshold for value in heard) >= 0.97 * len(heard)
    if threshold < 0.99:
        higher = min(value for value in (0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99) if value > threshold)
        assert sum(value >= higher for value in heard) < 0.97 * len(heard)


def test_where_too_few_are_heard_it_is_the_lowest() -> None:
    assert chosen([0.1] * 50) == 0.5
