"""Ids, names and places over time, from detections alone."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identity_world import COLOURS, CONFIG, PAD, Eyes, World, by_name, seen

from lucca_core.protocol.snapshots import TABLE, USERS_SIDE

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


def test_the_visible_side_of_a_covered_cube_does_not_move_it():
    world = World(PAD)
    world.frame(seen('cube', 0.54, 0.0, colour='red', z=0.834))
    side = seen('cube', 0.57, 0.01, colour='red', z=0.815, partial=True)
    (cube,) = world.frames(3, side, eyes=Eyes((0.54, 0.0)))
    assert cube.pose_world.position_m == pytest.approx((0.54, 0.0, 0.834))
    assert cube.visible


def test_a_cup_is_in_the_bowl_and_a_bowl_in_no_bowl():
    world = World()
    bowl = replace(seen('bowl', 0.4, 0.3, colour='pink', z=0.82), size_m=(0.11, 0.11, 0.042))
    cup = replace(seen('cup', 0.4, 0.3, z=0.85), size_m=(0.068, 0.068, 0.075))
    objects = by_name(world.frames(4, bowl))
    assert objects['bowl'].container == TABLE
    objects = by_name(world.frames(4, bowl, cup))
    assert (objects['bowl'].container, objects['cup'].container) == (TABLE, 'bowl')
