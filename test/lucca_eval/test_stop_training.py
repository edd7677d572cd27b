"""The threshold of the stop spotter, by its rule."""

from hypothesis import given
from hypothesis import strategies as st

from lucca_eval.stop_training import chosen


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_at_most_one_sentence_in_a_hundred_reaches_the_threshold_and_a_lower_one_is_reached_by_more(false):
    threshold = chosen(false)
    assert sum(value >= threshold for value in false) <= 0.01 * len(false) or threshold == 1.0
    if threshold > 0.5:
        below = round(threshold - 0.01, 2)
        assert sum(value >= below for value in false) > 0.01 * len(false)


def test_where_nothing_is_taken_for_a_stop_it_is_the_lowest():
    assert chosen([0.1] * 50) == 0.5
