import pytest

from coordinator_node.config import CoordinatorConfig


def test_defaults_hold_together():
    assert CoordinatorConfig().turns_kept == 4


@pytest.mark.parametrize('name', ['model_deadline_s', 'stack_wait_s', 'action_timeout_s'])
def test_waits_have_to_be_positive(name):
    with pytest.raises(ValueError, match=f'{name} must be above 0 and at most 86400, got 0'):
        CoordinatorConfig(**{name: 0.0})


def test_a_step_with_memory_needs_room_for_three_answers():
    with pytest.raises(ValueError, match='at least 3'):
        CoordinatorConfig(max_exchanges=2)
    assert CoordinatorConfig(max_exchanges=2, memory=False).max_exchanges == 2


@pytest.mark.parametrize(('name', 'value'), [('turns_kept', -1), ('max_goals', 0)])
def test_counts_have_a_lower_bound(name, value):
    with pytest.raises(ValueError, match=name):
        CoordinatorConfig(**{name: value})
