"""Ids, names and places over time, from detections alone."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.values import HAND, TABLE, USERS_SIDE, Pose
from perception_node.config import PerceptionConfig
from perception_node.containment import Places
from perception_node.detector import Detection
from perception_node.identity import Tracker
from perception_node.lexicon import load_lexicon
from perception_node.robot_view import HandState
from perception_node.visibility import Sight

LEXICON = load_lexicon()
CONFIG = PerceptionConfig()
COLOURS = {'pear': 'green', 'apple': 'red', 'banana': 'yellow', 'can': 'red', 'cup': 'cyan'}
SIZE = (0.06, 0.06, 0.06)


def seen(label: str, x: float, y: float, *, colour: str = '', z: float = 0.83, partial: bool = False) -> Detection:
    return Detection(
        label=label,
        score=0.6 if partial else 1.0,
        attributes=(colour or COLOURS[label],),
        box_px=(1, 2, 3, 4),
        pose_world=Pose((x, y, z)),
        size_m=SIZE,
        partial=partial,
    )


def container(name: str, x: float, y: float, size: tuple[float, float, float]) -> Detection:
    pose = Pose((x, y, 0.8 + size[2] / 2))
    return Detection(label=name, score=1.0, pose_world=pose, size_m=size, is_container=True)


BOX = container('box 1', 0.3, 0.1, (0.22, 0.2, 0.085))
PAD = container('tower', 0.54, 0.0, (0.11, 0.11, 0.004))


class Eyes:
    """What a frame's depth would say of places: everything not seen is empty, but for `hidden` ones."""

    def __init__(self, *hidden: tuple[float, float], inside_hidden: bool = False) -> None:
        self._hidden = hidden
        self._inside_hidden = inside_hidden

    def sight(self, position_m, size_m) -> Sight:
        near = any(np.hypot(position_m[0] - x, position_m[1] - y) < 0.1 for x, y in self._hidden)
        return Sight.HIDDEN if near else Sight.EMPTY

    def excludes(self, places_m, size_m) -> bool:
        return not self._inside_hidden


class World:
    """A tracker with its containers and a clock."""

    def __init__(self, *containers: Detection) -> None:
        self._containers = containers
        self._places = Places(LEXICON, CONFIG)
        self._tracker = Tracker(LEXICON, CONFIG)
        self._time_s = 0.0

    def frame(self, *detections: Detection, eyes: Eyes | None = None, hands: tuple[HandState, ...] = ()):
        self._time_s += 0.1
        self._places.update(self._containers)
        return self._tracker.update(self._time_s, detections, self._places, hands, eyes or Eyes())

    def frames(self, count: int, *detections: Detection, **kwargs):
        for _ in range(count):
            objects = self.frame(*detections, **kwargs)
        return objects

    def tower_height_m(self) -> float:
        return self._tracker.stack_heights_m(self._places)['tower']


def by_name(objects) -> dict:
    return {item.name: item for item in objects}


def hand(x: float, y: float, z: float, *, closed: bool) -> HandState:
    return HandState('left', (x, y, z), closed)


labels = st.sampled_from(sorted(COLOURS))


@given(st.lists(labels, min_size=1, max_size=10), st.integers(0, 2**31))
def test_names_and_ids_are_unique_for_any_set_of_detections(found, seed):
    rng = random.Random(seed)
    detections = [seen(label, rng.uniform(0.2, 0.6), rng.uniform(-0.5, 0.5)) for label in found]
    world = World()
    for _ in range(3):
        rng.shuffle(detections)
        objects = world.frame(*detections)
        assert len({item.name for item in objects}) == len(objects)
        assert len({item.object_id for item in objects}) == len(objects)


@given(st.lists(labels, min_size=1, max_size=8), st.integers(0, 2**31))
def test_ids_do_not_depend_on_the_order_of_detections_and_follow_motion(found, seed):
    rng = random.Random(seed)
    spots = [(0.25 + 0.13 * (index % 3), -0.5 + 0.13 * (index // 3)) for index in range(len(found))]
    world, ids = World(), {}
    for step in range(8):
        shift = 0.01 * step
        placed = [(index, seen(label, spots[index][0], spots[index][1] + shift)) for index, label in enumerate(found)]
        rng.shuffle(placed)
        objects = world.frame(*(item for _, item in placed))
        assert len(objects) == len(found)
        for index, detection in placed:
            where = detection.pose_world.position_m
            nearest = min(objects, key=lambda item: np.linalg.norm(np.subtract(item.pose_world.position_m, where)))
            assert nearest.label == detection.label
            assert ids.setdefault(index, nearest.object_id) == nearest.object_id


def test_two_equal_objects_stay_two_and_keep_their_numbers():
    world = World()
    first = by_name(world.frame(seen('pear', 0.3, 0.2), seen('pear', 0.3, 0.4)))
    later = by_name(world.frame(seen('pear', 0.3, 0.4), seen('pear', 0.33, 0.2)))
    assert set(first) == {'pear', 'pear 2'}
    assert {name: item.object_id for name, item in first.items()} == {
        name: item.object_id for name, item in later.items()
    }


def test_the_number_of_the_second_stays_when_the_first_is_gone():
    world = World()
    world.frame(seen('pear', 0.3, 0.2), seen('pear', 0.3, 0.4))
    objects = world.frames(CONFIG.gone_frames + 1, seen('pear', 0.3, 0.4))
    assert [item.name for item in objects] == ['pear 2']


def test_a_hidden_object_is_kept_and_said_to_be_unseen():
    world = World()
    world.frame(seen('pear', 0.3, 0.2))
    (pear,) = world.frames(50, eyes=Eyes((0.3, 0.2)))
    assert not pear.visible
    assert pear.container == TABLE
    assert pear.box_px == (0, 0, 0, 0)


def test_an_object_is_gone_only_after_its_place_was_seen_empty_for_some_frames():
    world = World()
    world.frame(seen('pear', 0.3, 0.2))
    assert len(world.frames(CONFIG.gone_frames - 1)) == 1
    assert world.frame() == ()


def test_seeing_its_place_hidden_in_between_starts_the_count_again():
    world = World()
    world.frame(seen('pear', 0.3, 0.2))
    world.frames(CONFIG.gone_frames - 1)
    world.frame(eyes=Eyes((0.3, 0.2)))
    assert len(world.frames(CONFIG.gone_frames - 1)) == 1


def test_what_comes_back_has_its_id_again():
    world = World()
    (before,) = world.frame(seen('pear', 0.3, 0.2))
    assert world.frames(CONFIG.gone_frames + 1) == ()
    (after,) = world.frames(2, seen('pear', 0.5, -0.3))
    assert after.object_id == before.object_id


def test_an_object_moved_by_someone_keeps_its_id_once_its_old_place_is_seen_empty():
    world = World()
    (before,) = world.frame(seen('pear', 0.3, 0.2))
    (after,) = world.frame(seen('pear', 0.5, -0.4))
    assert after.object_id == before.object_id


def test_an_equal_thing_elsewhere_is_not_taken_for_one_that_is_only_hidden():
    world = World()
    world.frame(seen('pear', 0.3, 0.2))
    hidden = Eyes((0.3, 0.2))
    (pear,) = world.frames(5, seen('pear', 0.5, -0.4), eyes=hidden)
    assert pear.pose_world.position_m[1] == pytest.approx(0.2)
    objects = world.frames(3, seen('pear', 0.5, -0.4), seen('pear', 0.3, 0.2))
    assert {item.name for item in objects} == {'pear', 'pear 2'}


def test_a_new_thing_becomes_an_object_only_when_seen_again():
    world = World()
    world.frame(seen('apple', 0.3, 0.2))
    assert len(world.frame(seen('apple', 0.3, 0.2), seen('pear', 0.5, 0.2))) == 1
    assert len(world.frame(seen('apple', 0.3, 0.2), seen('pear', 0.5, 0.2))) == 2
    assert len(world.frame(seen('apple', 0.3, 0.2), seen('pear', 0.5, 0.2), seen('can', 0.4, 0.4))) == 2
    assert len(world.frame(seen('apple', 0.3, 0.2), seen('pear', 0.5, 0.2))) == 2


def test_a_label_that_flickers_changes_neither_id_nor_name():
    world = World()
    (before,) = world.frames(5, seen('apple', 0.3, 0.2))
    (after,) = world.frame(seen('can', 0.3, 0.2))
    assert (after.object_id, after.name) == (before.object_id, 'apple')


def carried(world: World, label: str, start: tuple[float, float], goal: tuple[float, float], others=()):
    """A hand takes a thing, carries it hidden below itself, lets it go. Objects right after the release."""
    sx, sy = start
    gx, gy = goal
    world.frames(2, seen(label, sx, sy), *others, hands=(hand(sx, sy, 0.9, closed=False),))
    world.frame(*others, eyes=Eyes(start), hands=(hand(sx, sy, 0.88, closed=True),))
    world.frame(*others, eyes=Eyes(start), hands=(hand(sx, sy, 1.1, closed=True),))
    for share in (0.5, 1.0):
        x, y = sx + share * (gx - sx), sy + share * (gy - sy)
        objects = world.frame(*others, hands=(hand(x, y, 1.1, closed=True),))
        (held,) = (item for item in objects if item.container == HAND)
        assert held.label == label
        assert not held.visible
        assert held.pose_world.position_m[:2] == pytest.approx((x, y), abs=1e-6)
    return world.frame(*others, eyes=Eyes(goal), hands=(hand(gx, gy, 1.0, closed=False),))


def test_a_thing_taken_by_a_hand_is_in_the_hand_and_after_its_release_inferred_in_the_box():
    world = World(BOX)
    (before,) = world.frame(seen('pear', 0.5, 0.4))
    (pear,) = carried(world, 'pear', (0.5, 0.4), (0.3, 0.1))
    assert (pear.object_id, pear.container, pear.inferred, pear.visible) == (before.object_id, 'box 1', True, False)
    (pear,) = world.frames(30, eyes=Eyes(inside_hidden=True))
    assert (pear.container, pear.inferred) == ('box 1', True)
    (pear,) = world.frame(seen('pear', 0.32, 0.12, partial=True))
    assert (pear.object_id, pear.container, pear.inferred, pear.visible) == (before.object_id, 'box 1', False, True)


def test_what_was_let_go_over_a_box_is_gone_when_nowhere_in_the_box():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    carried(world, 'pear', (0.5, 0.4), (0.3, 0.1))
    assert world.frames(CONFIG.gone_frames + 1) == ()


def test_what_was_let_go_over_a_box_but_is_seen_on_the_table_is_on_the_table():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    carried(world, 'pear', (0.5, 0.4), (0.3, 0.1))
    (pear,) = world.frame(seen('pear', 0.45, 0.15), eyes=Eyes(inside_hidden=True))
    assert (pear.container, pear.visible, pear.inferred) == (TABLE, True, False)


def test_of_two_equal_things_the_carried_one_is_in_the_box():
    world = World(BOX)
    stays = seen('pear', 0.5, -0.3)
    before = by_name(world.frame(seen('pear', 0.5, 0.4), stays))
    carried_id = next(item.object_id for item in before.values() if item.pose_world.position_m[1] > 0)
    carried(world, 'pear', (0.5, 0.4), (0.3, 0.1), others=(stays,))
    objects = world.frames(3, stays, seen('pear', 0.3, 0.1, partial=True))
    assert {item.object_id: item.container for item in objects}[carried_id] == 'box 1'
    assert sorted(item.container for item in objects) == ['box 1', TABLE]


def test_a_hand_that_closes_on_nothing_holds_nothing():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    world.frame(eyes=Eyes((0.5, 0.4)), hands=(hand(0.5, 0.4, 0.88, closed=True),))
    (pear,) = world.frames(3, seen('pear', 0.5, 0.4), hands=(hand(0.3, 0.1, 1.1, closed=True),))
    assert (pear.container, pear.visible) == (TABLE, True)
    (pear,) = world.frames(3, seen('pear', 0.5, 0.4), hands=(hand(0.3, 0.1, 1.0, closed=False),))
    assert pear.container == TABLE


def test_what_falls_from_the_hand_is_where_it_is_seen():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    world.frame(eyes=Eyes((0.5, 0.4)), hands=(hand(0.5, 0.4, 0.88, closed=True),))
    (pear,) = world.frame(hands=(hand(0.4, 0.2, 1.1, closed=True),))
    assert pear.container == HAND
    (pear,) = world.frame(seen('pear', 0.45, 0.35), hands=(hand(0.3, 0.1, 1.1, closed=True),))
    assert pear.container == TABLE


@pytest.mark.parametrize('partial', [True, False])
def test_a_piece_of_what_lies_in_a_box_is_not_what_a_hand_carries_past(partial: bool):
    """Half hidden by the arm, the banana looks like something small and yellow, as the lemon in the hand is."""
    world = World(BOX)
    banana, start = (0.26, 0.12), (0.2, 0.45)
    there = seen('banana', *banana), seen('lemon', *start, colour='yellow')
    world.frames(2, *there)
    world.frame(*there, hands=(hand(*start, 0.87, closed=False),))
    for step in range(12):
        x, y = start[0] + 0.03 * step, start[1] - 0.04 * step
        piece = seen('lemon', banana[0] + 0.02, banana[1], colour='yellow', partial=partial)
        objects = by_name(world.frame(piece, eyes=Eyes((x, y), banana), hands=(hand(x, y, 0.95, closed=True),)))
        if step > 3:
            assert objects['lemon'].container == HAND, step
    x, y = 0.54, 0.0
    objects = by_name(
        world.frame(
            seen('banana', *banana), seen('lemon', x, y, colour='yellow'), hands=(hand(x, y, 0.95, closed=False),)
        )
    )
    assert sorted(objects) == ['banana', 'lemon']
    assert objects['banana'].container == 'box 1'
    assert objects['lemon'].container == TABLE


def test_a_tower_grows_with_what_is_put_on_it_and_keeps_what_is_covered():
    world = World(PAD)
    assert world.frame() == ()
    assert world.tower_height_m() == pytest.approx(0.004)
    world.frames(2, seen('cube', 0.3, 0.3, colour='red'), seen('cube', 0.3, -0.3, colour='blue'))
    blue = seen('cube', 0.3, -0.3, colour='blue')
    low = seen('cube', 0.54, 0.0, colour='red', z=0.834)
    world.frames(2, low, blue)
    assert world.tower_height_m() == pytest.approx(0.064)
    high = seen('cube', 0.54, 0.0, colour='blue', z=0.894)
    objects = by_name(world.frames(9, high, eyes=Eyes((0.54, 0.0))))
    assert world.tower_height_m() == pytest.approx(0.124)
    assert objects['red cube'].container == 'tower'
    assert (objects['red cube'].visible, objects['red cube'].inferred) == (False, True)
    assert (objects['blue cube'].container, objects['blue cube'].visible) == ('tower', True)


def test_what_is_pushed_over_the_edge_of_the_users_side_is_there():
    world = World()
    world.frame(seen('cup', 0.6, 0.2))
    (cup,) = world.frame(seen('cup', 0.7, 0.2))
    assert cup.container == USERS_SIDE


def test_a_thing_carried_low_over_a_box_is_in_the_hand_until_the_hand_opens():
    world = World(BOX)
    world.frame(seen('pear', 0.5, 0.4))
    world.frame(eyes=Eyes((0.5, 0.4)), hands=(hand(0.5, 0.4, 0.88, closed=True),))
    world.frame(hands=(hand(0.4, 0.2, 1.0, closed=True),))
    (pear,) = world.frames(3, seen('pear', 0.3, 0.1, z=0.92), hands=(hand(0.3, 0.1, 0.97, closed=True),))
    assert (pear.container, pear.visible) == (HAND, True)


def test_the_visible_side_of_a_covered_cube_does_not_move_it():
    world = World(PAD)
    world.frame(seen('cube', 0.54, 0.0, colour='red', z=0.834))
    side = seen('cube', 0.57, 0.01, colour='red', z=0.815, partial=True)
    (cube,) = world.frames(3, side, eyes=Eyes((0.54, 0.0)))
    assert cube.pose_world.position_m == pytest.approx((0.54, 0.0, 0.834))
    assert cube.visible
