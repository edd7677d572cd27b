"""Whether the evidence for a place is enough."""

import pytest

from lucca_llm.rules.kinds.sureness import SURE_OF_EXAMPLES, SURE_OF_KINDS, together


@pytest.mark.parametrize('sureness', [SURE_OF_KINDS, SURE_OF_EXAMPLES])
def test_all_objects_together_confirm_a_small_share_and_are_not_needed_for_a_large_one(sureness) -> None:
    assert sureness.is_sure(0.9, 0.1)
    assert sureness.is_sure(0.55, 0.7)
    assert not sureness.is_sure(0.8, 0.55)
    assert not sureness.is_sure(0.3, 0.9)


def test_a_place_that_draws_everything_is_worth_less_to_each() -> None:
    (first, second), (third, fourth) = together([[0.9, 0.1], [0.55, 0.45]])
    assert first > 0.5 > second
    assert third < 0.55
    assert fourth > 0.45
    assert first + second == pytest.approx(third + fourth) == pytest.approx(1)
