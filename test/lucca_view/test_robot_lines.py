"""The path of a hand has at most as many points as are asked for, and keeps both ends."""

import pytest

from lucca_robot.profile import load_profile
from lucca_view.events import PathPlanned
from lucca_view.robot_lines import RobotLines


@pytest.mark.parametrize(('positions', 'points'), [(1, 1), (40, 40), (41, 40), (79, 40), (1000, 40)])
def test_a_path_has_at_most_the_points_that_were_asked_for_and_keeps_its_ends(positions, points):
    profile = load_profile()
    arm, spec = next(iter(profile.arms.items()))
    rows = tuple((spec.home[0] + 0.001 * row, *spec.home[1:]) for row in range(positions))
    planned = PathPlanned(arm=arm, joints=spec.joints, times_s=tuple(map(float, range(positions))), positions=rows)
    lines = RobotLines(profile)
    path = lines.path(planned, {}, most=40)
    assert len(path) == points
    ends = PathPlanned(arm=arm, joints=spec.joints, times_s=(0.0, 1.0), positions=(rows[0], rows[-1]))
    assert [path[0], path[-1]] == lines.path(ends, {})


@pytest.mark.parametrize('row', [(float('nan'),), (float('inf'),), (1e300,)])
def test_a_path_to_nowhere_is_not_drawn(row):
    planned = PathPlanned(arm='left', joints=('l_joint1',), times_s=(0.0,), positions=(row,))
    assert RobotLines(load_profile()).path(planned, {}) == []


def test_a_path_without_positions_is_where_the_arm_is():
    planned = PathPlanned(arm='left', joints=(), times_s=(0.0,), positions=((),))
    assert len(RobotLines(load_profile()).path(planned, load_profile().home)) == 1


@pytest.mark.parametrize('position', [float('nan'), -float('inf'), 1e300])
def test_a_joint_that_is_nowhere_is_drawn_at_rest(position):
    lines = RobotLines(load_profile())
    assert lines.lines({'l_joint1': position}) == lines.lines({})
