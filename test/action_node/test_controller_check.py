"""What runs is compared with the profile, and what differs is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.controller_check import described_limits, mismatches

JOINTS = ('shoulder', 'elbow', 'wrist')
ARM = {'arm': JOINTS}
LIMITS = dict.fromkeys(JOINTS, (-1.0, 1.0))


def differing(running: tuple[str, ...] = JOINTS, described: dict | None = None, rate_hz: float | None = 100.0) -> str:
    return '; '.join(mismatches(ARM, {'arm': running}, LIMITS, LIMITS if described is None else described, rate_hz))


def test_nothing_differs_where_all_is_the_same() -> None:
    assert differing() == ''
    assert differing(described={}, rate_hz=None) == ''


@given(st.permutations(JOINTS))
def test_another_order_is_named_with_its_first_joint(order: list[str]) -> None:
    said = differing(tuple(order))
    if tuple(order) == JOINTS:
        assert said == ''
    else:
        first = next(one for one, other in zip(JOINTS, order, strict=True) if one != other)
        assert f'in another order, from joint {first!r} on' in said


def test_missing_and_further_joints_are_named() -> None:
    assert "does not move joint 'wrist'" in differing(JOINTS[:2])
    assert "also moves joint 'finger'" in differing((*JOINTS, 'finger'))
    assert "does not move joint 'shoulder'" in differing(())


def test_a_profile_may_be_narrower_than_the_robot_but_not_wider() -> None:
    assert differing(described=LIMITS | {'elbow': (-2.0, 1.0004)}) == ''
    assert differing(described=LIMITS | {'elbow': (-0.9995, 1.0)}) == ''
    assert "joint 'elbow' may move from -0.5 to 1 on the robot" in differing(described=LIMITS | {'elbow': (-0.5, 1.0)})


@pytest.mark.parametrize('limits', [(float('nan'), 3.0), (-3.0, float('nan'))])
def test_a_limit_that_is_no_number_is_no_agreement(limits: tuple[float, float]) -> None:
    assert 'may move from' in differing(described=dict.fromkeys(LIMITS, limits))


def test_a_joint_that_a_controller_names_twice_is_told() -> None:
    assert 'names a joint twice' in differing((*JOINTS, JOINTS[0]))


def test_a_slow_controller_is_refused() -> None:
    assert 'run at 10 Hz; at least 50 Hz' in differing(rate_hz=10.0)


def test_limits_are_read_from_a_description_without_its_meshes() -> None:
    text = """<robot name="r"><link name="a"><collision><geometry><mesh filename="no"/></geometry></collision></link>
    <joint name="elbow" type="revolute"><limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
    <joint name="wheel" type="continuous"><limit velocity="1" effort="1"/></joint></robot>"""
    assert described_limits(text) == {'elbow': (-1.0, 2.0)}
    with pytest.raises(ValueError, match='is not XML'):
        described_limits('noise')
    with pytest.raises(ValueError, match="joint 'elbow'"):
        described_limits(text.replace('"-1"', '"low"'))
