"""The path of a hand has at most as many points as are asked for."""

import pytest

from lucca_robot.profile import load_profile
from lucca_view.events import PathPlanned
from lucca_view.robot_lines import RobotLines


@pytest.mark.parametrize(('positions', 'points'), [(1, 1), (40, 40), (41, 21), (79, 40), (1000, 40)])
def test_a_path_has_at_most_the_points_that_were_asked_for(positions, points):
    profile = load_profile()
    arm, spec = next(iter(profile.arms.items()))
    times_s = tuple(map(float, range(positions)))
    planned = PathPlanned(arm=arm, joints=spec.joints, times_s=times_s, positions=(spec.home,) * positions)
    assert len(RobotLines(profile).path(planned, {}, most=40)) == points
