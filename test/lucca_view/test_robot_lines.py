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
