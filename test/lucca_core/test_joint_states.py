"""Joint positions merged from several publishers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.joint_states import CLOCK_BACK_S, JointMerge, Joints, positions_at

PARTS = ({'left': 1.0}, {'right': 2.0}, {'head': 3.0, 'left': 4.0})


def test_positions_of_two_publishers_are_merged_in_any_order():
    merge = JointMerge(1.0)
    assert merge.merged() is None
    # Slightly out of step, as two processes are.
    for stamp_s, part in (
        (10.00, {'left': 1.0}),
        (9.99, {'right': 2.0}),
        (10.02, {'left': 1.5}),
        (10.01, {'right': 2.5}),
    ):
        merge.add(stamp_s, stamp_s, part)
    assert merge.merged().positions == {'left': 1.5, 'right': 2.5}
    assert merge.merged().stamp_s == 10.02


def test_a_stale_joint_has_no_position():
    merge = JointMerge(1.0)
    merge.add(10.0, 50.0, {'left': 1.0})
    merge.add(10.9, 50.9, {'right': 2.0})
    assert merge.merged().positions == {'left': 1.0, 'right': 2.0}
    merge.add(11.1, 51.1, {'right': 2.0})
    assert merge.merged().positions == {'right': 2.0}


@pytest.mark.parametrize('odd', [math.nan, math.inf, -math.inf])
def test_a_joint_whose_newest_position_is_not_finite_has_none(odd):
    merge = JointMerge(1.0)
    merge.add(10.0, 50.0, {'left': 1.0, 'right': 2.0})
    merge.add(10.1, 50.1, {'left': odd})
    assert merge.merged().positions == {'right': 2.0}
    assert merge.merged().not_finite == {'left'}
    merge.add(10.05, 50.15, {'left': 1.0})
    assert merge.merged().not_finite == {'left'}, 'what was measured before does not count'
    merge.add(10.2, 50.2, {'left': 1.1})
    assert merge.merged().positions == {'left': 1.1, 'right': 2.0}
    assert not merge.merged().not_finite


def test_a_joint_that_is_no_longer_published_is_not_called_broken():
    merge = JointMerge(1.0)
    merge.add(10.0, 50.0, {'left': math.nan, 'right': 2.0})
    merge.add(11.1, 51.1, {'right': 2.0})
    assert not merge.merged().not_finite


def test_with_fast_simulated_time_wall_time_decides_what_is_stale():
    merge = JointMerge(1.0)
    merge.add(10.0, 50.0, {'left': 1.0})
    merge.add(12.0, 50.1, {'right': 2.0})
    assert merge.merged().positions == {'left': 1.0, 'right': 2.0}


def test_a_reset_clock_discards_all_earlier_positions():
    merge = JointMerge(1.0)
    merge.add(100.0, 50.0, {'left': 1.0, 'right': 2.0})
    merge.add(0.02, 50.1, {'left': 3.0})
    assert merge.merged().positions == {'left': 3.0}
    assert merge.merged().stamp_s == 0.02


@given(st.lists(st.tuples(st.floats(0.0, 0.4), st.floats(-0.3, 0.3), st.sampled_from(PARTS)), min_size=1, max_size=40))
def test_every_position_is_the_latest_of_its_joint_and_not_stale(messages):
    merge, now_s, said = JointMerge(0.5), 100.0, {}
    for passed_s, step_s, part in messages:
        now_s += passed_s
        stamp_s = now_s + step_s
        merge.add(stamp_s, now_s, part)
        for name, position in part.items():
            if name not in said or said[name][0] <= stamp_s:
                said[name] = (stamp_s, now_s, position)
    seen = merge.merged()
    assert seen.stamp_s <= now_s + 0.3 < now_s + CLOCK_BACK_S
    for name, position in seen.positions.items():
        assert position == said[name][2]
        assert min(seen.stamp_s - said[name][0], now_s - said[name][1]) <= 0.5
    recent = {name for name, (_, at_s, _) in said.items() if now_s - at_s <= 0.5}
    assert recent <= set(seen.positions)


def memory(*pairs):
    return [Joints(stamp, 0.0, positions, dict.fromkeys(positions, stamp)) for stamp, positions in pairs]


@given(share=st.floats(0.0, 1.0), first=st.floats(-3.0, 3.0), second=st.floats(-3.0, 3.0))
def test_between_two_messages_a_joint_moves_evenly(share, first, second):
    positions, away_s = positions_at(memory((1.0, {'a': first}), (3.0, {'a': second})), 1.0 + 2.0 * share)
    assert positions['a'] == pytest.approx(first + share * (second - first))
    assert away_s == pytest.approx(min(2.0 * share, 2.0 - 2.0 * share))


def test_outside_of_all_messages_joints_stand_and_the_distance_is_told():
    known = memory((1.0, {'a': 0.1}), (2.0, {'a': 0.2}))
    assert positions_at(known, 0.4) == ({'a': 0.1}, pytest.approx(0.6))
    assert positions_at(known, 2.5) == ({'a': 0.2}, 0.5)
    assert positions_at(known, 2.0) == ({'a': 0.2}, 0.0)


def test_a_joint_that_only_one_message_has_is_taken_from_the_nearest():
    positions, _ = positions_at(memory((1.0, {'a': 0.0}), (2.0, {'a': 1.0, 'b': 5.0})), 1.75)
    assert positions == {'a': 0.75, 'b': 5.0}
    with pytest.raises(ValueError, match='no joint states'):
        positions_at([], 1.0)


def test_a_joint_that_two_publishers_have_at_two_places_contradicts_itself_for_a_while():
    merge = JointMerge(1.0, {'left': 2.5})
    merge.add(10.0, 50.0, {'left': 1.0, 'right': 2.0})
    merge.add(10.02, 50.02, {'left': 1.19, 'right': 9.0})  # as fast as is just believed; of the right nothing is known
    assert not merge.merged().contradictions
    merge.add(10.02, 50.02, {'left': 0.5})
    assert merge.merged().contradictions == {'left': 'left at 1.19 and 0.000 s later at 0.50'}
    merge.add(10.5, 50.5, {'left': 0.5, 'right': 2.0})
    assert list(merge.merged().contradictions) == ['left']
    merge.add(11.1, 51.1, {'left': 0.5, 'right': 2.0})
    assert not merge.merged().contradictions
    merge.add(11.12, 51.12, {'left': -0.5})
    merge.add(3.0, 51.14, {'left': 0.5})
    assert not merge.merged().contradictions, 'the clock was reset'


@pytest.mark.parametrize('behind_s', [-0.03, 0.0, 0.03])
def test_two_publishers_that_disagree_are_noticed_whichever_is_behind(behind_s):
    merge = JointMerge(1.0, {'left': 1.5})
    merge.add(10.0, 50.0, {'left': 0.0})
    merge.add(10.0 + behind_s, 50.001, {'left': 1.2})
    assert 'left' in merge.merged().contradictions
    assert merge.merged().positions == {'left': 0.0 if behind_s < 0 else 1.2}


def test_a_message_that_arrives_late_contradicts_nothing_if_the_joint_may_have_been_there():
    merge = JointMerge(1.0, {'left': 1.5})
    merge.add(10.2, 50.0, {'left': 0.3})
    merge.add(10.0, 50.001, {'left': 0.0})
    assert not merge.merged().contradictions
    assert merge.merged().positions == {'left': 0.3}


@pytest.mark.parametrize('odd', [math.nan, math.inf])
def test_an_endless_joint_may_be_told_without_whole_turns(odd):
    merge = JointMerge(1.0, {'wheel': 1.5, 'arm': 1.5}, frozenset({'wheel'}))
    merge.add(10.0, 50.0, {'wheel': 3.12, 'arm': 3.12})
    merge.add(10.02, 50.02, {'wheel': -3.12, 'arm': -3.12})
    assert list(merge.merged().contradictions) == ['arm']
    assert merge.merged().positions['wheel'] == pytest.approx(2 * math.pi - 3.12), 'so that what is between is right'
    merge.add(10.04, 50.04, {'wheel': -2.0})
    assert 'wheel' in merge.merged().contradictions
    merge.add(10.06, 50.06, {'wheel': odd})
    assert merge.merged().not_finite == {'wheel'}
    merge.add(10.08, 50.08, {'wheel': 1.0})
    assert math.remainder(merge.merged().positions['wheel'] - 1.0, math.tau) == pytest.approx(0.0, abs=1e-9)


def test_an_endless_joint_that_was_silent_for_long_goes_on_in_its_turn():
    merge = JointMerge(1.0, {'wheel': 1.5}, frozenset({'wheel'}))
    merge.add(10.0, 50.0, {'wheel': 3.12})
    merge.add(10.02, 50.02, {'wheel': -3.12})
    merge.add(15.0, 55.0, {'arm': 0.0})
    assert 'wheel' not in merge.merged().positions
    merge.add(15.02, 55.02, {'wheel': -3.10})
    assert merge.merged().positions['wheel'] == pytest.approx(math.tau - 3.10)
    assert not merge.merged().contradictions
