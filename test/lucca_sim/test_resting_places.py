"""Without dynamics things come to rest side by side in a box, on top of each other on a tower, and never in the air."""

import itertools
import math

import numpy as np
import pytest

from lucca_sim.resting_places import RestingPlaces
from lucca_sim.scene import load_scene


@pytest.mark.parametrize(
    ('scene_name', 'container_name', 'names'),
    [('sorting', 'box 1', ('apple', 'banana', 'pear')), ('sorting', 'box 2', ('cup', 'bowl'))],
)
def test_things_let_go_over_a_box_lie_side_by_side_on_its_floor(
    scene_name: str, container_name: str, names: tuple[str, ...]
) -> None:
    scene = load_scene(scene_name, 0)
    container = scene.container_named(container_name)
    assert container is not None
    above = np.array(container.position_world_m) + np.array((0, 0, 0.2))
    placed: dict[int, np.ndarray] = {}
    for name in names:
        index = scene.object_names.index(name)
        placed[index] = RestingPlaces(scene).place(index, above, placed)
    for index, place in placed.items():
        item = scene.objects[index]
        assert container.outline.contains(place[0], place[1])
        assert place[2] == pytest.approx(container.position_world_m[2] + container.wall_m + item.size_m[2] / 2)
    for (one, first), (two, second) in itertools.combinations(placed.items(), 2):
        least = min(scene.objects[one].size_m[1], scene.objects[two].size_m[1])
        assert math.dist(first[:2], second[:2]) > 0.5 * least


def test_cubes_let_go_over_the_tower_place_stand_on_each_other() -> None:
    scene = load_scene('tower', 0)
    pad = scene.container_named('tower')
    assert pad is not None
    placed: dict[int, np.ndarray] = {}
    for level in range(4):
        placed[level] = RestingPlaces(scene).place(
            level, np.array(pad.position_world_m) + np.array((0.01, 0.01, 0.3)), placed
        )
        assert placed[level][:2] == pytest.approx(pad.position_world_m[:2])
        assert placed[level][2] == pytest.approx(pad.position_world_m[2] + pad.size_m[2] + (level + 0.5) * 0.045)


def test_a_thing_let_go_over_the_table_stands_on_the_table() -> None:
    scene = load_scene('tower', 0)
    place = RestingPlaces(scene).place(0, np.array((0.8, 0.4, 1.0)), {})
    assert place == pytest.approx((0.8, 0.4, scene.table.height_m + 0.0225))


def test_what_is_let_go_over_a_bowl_lies_in_it_if_it_fits() -> None:
    scene = load_scene('table', 0).with_objects(['apple', 'banana', 'bowl'])
    bowl = scene.object_named('bowl')
    assert bowl is not None
    middle = np.array(bowl.pose.position_m)
    others = {scene.object_names.index('bowl'): middle}
    apple, banana = (
        RestingPlaces(scene).place(scene.object_names.index(name), middle + np.array((0.01, 0.0, 0.2)), others)
        for name in ('apple', 'banana')
    )
    assert math.dist(apple[:2], middle[:2]) < 0.005
    assert apple[2] == pytest.approx(0.8 + 0.004 + 0.031)
    assert banana[2] > 0.8 + bowl.size_m[2]
