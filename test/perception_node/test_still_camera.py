"""A camera that stands still is noticed once the robot moves in its picture, and not before."""

import numpy as np
import pytest

from lucca_core.errors import PerceptionError
from perception_node.still_camera import StillCamera

RGB = np.full((48, 64, 3), 90, np.uint8)
DEPTH = np.full((48, 64), np.nan, np.float32)


def robot(columns: int) -> np.ndarray:
    mask = np.zeros((48, 64), bool)
    mask[:, :columns] = True
    return mask


def test_the_same_picture_of_a_robot_that_moved_is_refused_until_another_one_comes():
    camera = StillCamera()
    for stamp_s, columns in ((1.0, 10), (1.2, 10)):
        camera.check(stamp_s, RGB, DEPTH, robot(columns))
    with pytest.raises(PerceptionError, match=r'the same picture, bit by bit, for 1\.5 s, although the robot moved'):
        camera.check(2.5, RGB.copy(), DEPTH.copy(), robot(20))
    camera.check(2.6, RGB.copy(), DEPTH.copy(), robot(10))  # back where it was: the picture may be true
    with pytest.raises(PerceptionError):
        camera.check(2.7, RGB.copy(), DEPTH.copy(), robot(20))
    changed = RGB.copy()
    changed[47, 63, 2] += 1
    camera.check(2.8, changed, DEPTH, robot(20))


def test_a_depth_that_changed_is_another_picture():
    camera = StillCamera()
    camera.check(1.0, RGB, DEPTH, robot(10))
    nearer = DEPTH.copy()
    nearer[20, 20] = 0.8
    camera.check(1.1, RGB, nearer, robot(30))


def test_joints_that_only_tremble_are_no_sign():
    camera = StillCamera()
    camera.check(1.0, RGB, DEPTH, robot(10))
    trembling = robot(10)
    trembling[:12, 10] = True
    camera.check(1.1, RGB, DEPTH, trembling)


def test_a_robot_of_which_it_is_not_known_where_it_was_has_not_moved():
    camera = StillCamera()
    camera.check(1.0, RGB, DEPTH, robot(10), joints_away_s=0.2)
    camera.check(1.1, RGB, DEPTH, robot(20))
    camera.check(1.2, RGB, DEPTH, robot(10), joints_away_s=0.2)
    with pytest.raises(PerceptionError):
        camera.check(1.3, RGB, DEPTH, robot(30))
