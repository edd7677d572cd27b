"""Parts of shapes fill the size that the shape was given, and no more."""

import mujoco
import numpy as np
import pytest

from lucca_sim.scene import load_scene
from lucca_sim.shapes import Primitive, container_parts, object_parts

SCENE = load_scene('table', 0)
OBJECTS = {item.name: item for item in SCENE.library}
CONTAINERS = {item.name: item for item in SCENE.containers}


def extent(parts: tuple[Primitive, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of all parts together."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for part in parts:
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, np.array(part.quat_wxyz))
        rotation, size = matrix.reshape(3, 3), np.array(part.size_m)
        if part.kind == 'box':
            half = np.abs(rotation) @ (size / 2)
        elif part.kind in ('sphere', 'ellipsoid'):
            half = np.linalg.norm(rotation * (size / 2), axis=1)
        elif part.kind == 'capsule':
            half = np.abs(rotation[:, 2]) * (size[2] - size[0]) / 2 + size[0] / 2
        else:
            half = np.abs(rotation[:, 2]) * size[2] / 2 + size[0] / 2 * np.sqrt(1 - rotation[:, 2] ** 2)
        low, high = np.minimum(low, part.position_m - half), np.maximum(high, part.position_m + half)
    return low, high


@pytest.mark.parametrize('name', sorted(OBJECTS))
def test_an_object_fills_its_size_about_its_centre(name: str) -> None:
    item = OBJECTS[name]
    low, high = extent(object_parts(item))
    assert high - low == pytest.approx(item.size_m, abs=0.006)
    assert (low + high) / 2 == pytest.approx((0, 0, 0), abs=0.003)


@pytest.mark.parametrize('name', sorted(CONTAINERS))
def test_a_container_stands_on_the_table_and_fills_its_size(name: str) -> None:
    item = CONTAINERS[name]
    low, high = extent(container_parts(item))
    assert high - low == pytest.approx(item.size_m, abs=0.012)
    assert low[2] == pytest.approx(0, abs=0.004)


@pytest.mark.parametrize('name', ['cup', 'bowl'])
def test_hollow_things_are_hollow(name: str) -> None:
    item = OBJECTS[name]
    for part in object_parts(item):
        middle_of_part = np.hypot(*part.position_m[:2])
        assert middle_of_part > 0.2 * item.size_m[0] or part.position_m[2] < -0.4 * item.size_m[2]
