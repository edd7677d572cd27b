"""Pixels and depth to the world and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception_node.camera import Camera, rotation_from_quaternion

unit = st.floats(-1, 1).filter(lambda value: abs(value) > 1e-3)


def camera(quaternion=(1.0, 0.0, 0.0, 0.0), position=(0.4, 0.1, 2.0)) -> Camera:
    q = np.array(quaternion) / np.linalg.norm(quaternion)
    return Camera(
        width=64,
        height=48,
        fx=60.0,
        fy=58.0,
        cx=31.5,
        cy=23.5,
        rotation=rotation_from_quaternion(*q),
        position_m=np.array(position),
    )


def world_points(view: Camera, rows, columns, depth_m):
    return np.stack([ray[rows, columns] * depth_m for ray in view.rays], axis=1) + view.position_m


@given(st.tuples(unit, unit, unit, unit), st.integers(0, 63), st.integers(0, 47), st.floats(0.3, 3.0))
def test_a_pixel_with_depth_comes_back_from_the_world(quaternion, column, row, depth):
    view = camera(quaternion)
    points = world_points(view, np.array([row]), np.array([column]), np.array([depth], np.float32))
    pixels, depths = view.project(points)
    assert pixels[0] == pytest.approx((column, row), abs=2e-3)
    assert depths[0] == pytest.approx(depth, rel=1e-5)


def test_depth_is_along_the_optical_axis_not_the_ray():
    view = camera()  # looks straight down
    points = world_points(view, np.array([0, 24]), np.array([0, 32]), np.array([1.0, 1.0], np.float32))
    assert points[:, 2] == pytest.approx((1.0, 1.0), abs=1e-6)


def test_what_is_behind_the_camera_has_no_pixel():
    pixels, depth = camera().project(np.array([(0.4, 0.1, 3.0)]))
    assert depth[0] < 0
    assert np.isnan(pixels).all()


def test_a_camera_without_a_focal_length_is_refused():
    with pytest.raises(ValueError, match='focal lengths above 0'):
        Camera(width=4, height=4, fx=0.0, fy=1.0, cx=1, cy=1, rotation=np.eye(3), position_m=np.zeros(3))


def test_a_matrix_that_is_no_rotation_is_refused():
    with pytest.raises(ValueError, match='must be a rotation matrix'):
        Camera(width=4, height=4, fx=1.0, fy=1.0, cx=1, cy=1, rotation=2 * np.eye(3), position_m=np.zeros(3))
