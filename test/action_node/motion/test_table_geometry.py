import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from action_node.motion.collision import Solid
from action_node.motion.config import MotionConfig
from action_node.motion.table_geometry import (
    free_spots,
    highest_near,
    object_solid,
    radius,
    solids_of,
    spots_in,
    yaw_of,
)
from lucca_core.protocol.snapshots import HAND, Container, Pose, Snapshot, TableObject

TOP = 0.8


def thing(name: str, x: float, y: float, **options: object) -> TableObject:
    fields = {'size_m': (0.06, 0.06, 0.06), 'pose_world': Pose((x, y, 0.83)), **options}
    return TableObject(object_id=name, name=name, label=name, **fields)


def test_what_a_hand_holds_is_in_nobodys_way() -> None:
    snapshot = Snapshot(
        objects=(thing('a', 0.3, 0.3), thing('b', 0.4, 0.3, container=HAND)),
        containers=(Container(name='box 1'), Container(name="user's side")),
    )
    assert {solid.name for solid in solids_of(snapshot, TOP)} == {'a', 'box 1'}


def test_an_object_on_the_table_reaches_down_to_it() -> None:
    solid = object_solid(thing('a', 0.3, 0.3, pose_world=Pose((0.3, 0.3, 0.86))), TOP)
    assert solid.centre_m[2] - solid.size_m[2] / 2 == TOP


@given(yaw=st.floats(-3.1, 3.1))
def test_the_turn_of_an_upright_orientation_is_its_yaw(yaw: float) -> None:
    assert math.isclose(yaw_of((0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))), yaw, abs_tol=1e-9)


def test_only_what_is_near_the_way_must_be_carried_over() -> None:
    high = Solid('can', (0.5, 0.3, 0.85), (0.06, 0.06, 0.1), True)
    assert highest_near([high], (0.3, 0.3), (0.7, 0.3), 0.05, TOP) == high.top_m
    assert highest_near([high], (0.3, -0.3), (0.7, -0.3), 0.05, TOP) == TOP


@given(st.lists(st.tuples(st.floats(0.2, 0.4), st.floats(0.0, 0.2)), max_size=4))
def test_a_place_in_a_box_is_over_its_opening_and_away_from_what_lies_there(
    contents: list[tuple[float, float]],
) -> None:
    box = Container(name='box 1', position_world_m=(0.3, 0.1, TOP), size_m=(0.22, 0.2, 0.085))
    items = [thing(str(index), x, y) for index, (x, y) in enumerate(contents)]
    spots = spots_in(box, items, 0.03)
    for x, y in spots:
        assert abs(x - 0.3) <= 0.11 - 0.03
        assert abs(y - 0.1) <= 0.1 - 0.03
    overlaps = [sum(max(0.0, 0.07 - math.dist(spot, item)) for item in contents) for spot in spots]
    assert overlaps[0] <= min(overlaps) + 1e-3


@pytest.mark.parametrize(('first_m', 'second_m'), [(0.068, 0.104), (0.104, 0.068), (0.066, 0.09)])
def test_what_comes_first_into_a_box_leaves_room_for_the_next(first_m: float, second_m: float) -> None:
    box = Container(name='box 2', position_world_m=(0.3, -0.1, TOP), size_m=(0.22, 0.2, 0.085))
    first = spots_in(box, [], first_m / 2)[0]
    second = spots_in(box, [thing('first', *first, size_m=(first_m, first_m, 0.05))], second_m / 2)[0]
    assert math.dist(first, second) > (first_m + second_m) / 2


def test_in_a_bowl_the_middle_is_best() -> None:
    bowl = Container(name='bowl', position_world_m=(0.3, 0.1, TOP), size_m=(0.2, 0.2, 0.06))
    assert spots_in(bowl, [], 0.03)[0] == pytest.approx((0.3, 0.1))


@given(st.lists(st.tuples(st.floats(0.2, 0.6), st.floats(-0.5, 0.5)), max_size=8))
def test_a_free_place_is_clear_of_everything_and_they_come_nearest_first(places: list[tuple[float, float]]) -> None:
    config = MotionConfig()
    solids = [Solid(str(i), (x, y, 0.83), (0.06, 0.06, 0.06), True) for i, (x, y) in enumerate(places)]
    spots = list(free_spots(solids, config, 0.04, (0.4, 0.0), x_m=(0.2, 0.6), y_m=(-0.5, 0.5)))
    for spot in spots:
        for solid in solids:
            gap = math.dist(spot, solid.centre_m[:2]) - radius(solid) - 0.04
            assert gap >= config.spot_spacing_m - 1e-9
    distances = [math.dist(spot, (0.4, 0.0)) for spot in spots]
    assert distances == sorted(distances)


def test_a_bowl_is_in_the_way_once_and_another_container_of_its_name_as_well() -> None:
    bowl = thing('bowl', 0.3, 0.3)
    itself = Container(name='bowl', position_world_m=(0.3, 0.3, 0.8))
    assert len(solids_of(Snapshot(objects=(bowl,), containers=(itself,)), TOP)) == 1
    other = Container(name='bowl', position_world_m=(0.5, 0.0, 0.8))
    assert len(solids_of(Snapshot(objects=(bowl,), containers=(other,)), TOP)) == 2
