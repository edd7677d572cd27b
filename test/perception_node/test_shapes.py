"""Shapes of surfaces whose form is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception_node.camera import Camera
from perception_node.detectors.shapes import match, match_partly, measure

DOWN = Camera(
    width=640,
    height=480,
    fx=580.0,
    fy=580.0,
    cx=319.5,
    cy=239.5,
    rotation=np.diag([1.0, -1.0, -1.0]),
    position_m=np.array([0.4, 0.0, 2.0]),
)


def box(x: float, y: float, length: float, width: float, height: float, yaw: float) -> np.ndarray:
    """The top face, sampled as finely as a pixel."""
    u, v = np.meshgrid(np.arange(-length / 2, length / 2, 0.002), np.arange(-width / 2, width / 2, 0.002))
    c, s = np.cos(yaw), np.sin(yaw)
    points = np.stack((x + c * u - s * v, y + s * u + c * v, np.full_like(u, 0.8 + height)), axis=-1)
    return points.reshape(-1, 3).astype(np.float32)


@given(
    st.floats(0.2, 0.6),
    st.floats(-0.5, 0.5),
    st.floats(0.05, 0.15),
    st.floats(0.4, 0.9),
    st.floats(0.02, 0.1),
    st.floats(-1.5, 1.5),
)  # fmt: skip
def test_a_box_has_its_place_size_and_direction(x, y, length, share, height, yaw):
    shape = measure(box(x, y, length, share * length, height, yaw), 0.8, DOWN)
    assert shape.centre_xy == pytest.approx((x, y), abs=0.004)
    assert shape.height_m == pytest.approx(height, abs=1e-4)
    assert shape.length_m == pytest.approx(length, abs=0.006)
    assert shape.width_m == pytest.approx(share * length, abs=0.006)
    if share < 0.75:
        assert abs(np.sin(shape.yaw_rad - yaw)) < 0.15
    assert shape.flat == pytest.approx(1.0)
    assert shape.fill > 0.95
    assert shape.hollow == pytest.approx(0.0, abs=1e-3)


def test_a_ball_is_round_and_not_flat():
    u, v = np.meshgrid(np.arange(-0.033, 0.033, 0.002), np.arange(-0.033, 0.033, 0.002))
    inside = u**2 + v**2 < 0.033**2
    z = 0.833 + np.sqrt(np.maximum(0.033**2 - u**2 - v**2, 0))
    points = np.stack((0.4 + u[inside], v[inside], z[inside]), axis=1).astype(np.float32)
    shape = measure(points, 0.8, DOWN)
    assert shape.flat < 0.4
    assert shape.fill < 0.86
    assert shape.length_m == pytest.approx(0.066, abs=0.005)


def test_a_ring_around_a_deep_middle_is_hollow():
    angle, radius = np.meshgrid(np.linspace(0, 6.28, 200), np.linspace(0.03, 0.034, 5))
    points = np.stack((0.4 + radius * np.cos(angle), radius * np.sin(angle), np.full_like(angle, 0.87)), axis=-1)
    assert measure(points.reshape(-1, 3).astype(np.float32), 0.8, DOWN).hollow == pytest.approx(1.0)


def test_a_match_is_whole_inside_the_ranges_and_falls_outside():
    shape = measure(box(0.4, 0.0, 0.045, 0.045, 0.045, 0.0), 0.8, DOWN)
    fits = {'height_m': (0.04, 0.05), 'length_m': (0.04, 0.05), 'width_m': (0.04, 0.05)}
    assert match(shape, fits) == 1.0
    assert match(shape, {**fits, 'height_m': (0.09, 0.1)}) < 1e-6


def test_a_part_may_be_smaller_than_the_whole_but_not_larger():
    shape = measure(box(0.4, 0.0, 0.06, 0.03, 0.045, 0.0), 0.8, DOWN)
    assert match_partly(shape, {'length_m': (0.1, 0.12), 'width_m': (0.05, 0.06)}) == 1.0
    assert match_partly(shape, {'length_m': (0.01, 0.02), 'width_m': (0.01, 0.02)}) < 0.01
