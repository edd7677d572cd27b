"""Rendered tables through the whole of perception; the truth is known here only."""

import dataclasses

import numpy as np
import pytest

from lucca_core.errors import PerceptionError
from lucca_core.protocol.snapshots import HAND, USERS_SIDE
from perception_node.camera_pose import HeadCamera, make_camera
from perception_node.config import PerceptionConfig
from perception_node.detectors.prototype_detector import PrototypeDetector
from perception_node.lexicon import load_lexicon
from perception_node.pipeline import Frame, Pipeline
from perception_node.robot_view import HandState

SCENES = ('sorting_tower', 'sorting', 'tower', 'arrangement', 'recipe', 'pointing')


@pytest.mark.parametrize('scene', SCENES)
@pytest.mark.parametrize('seed', [1, 2])
def test_everything_is_found_with_its_name_within_a_centimetre(make_table, scene, seed):
    table = make_table(scene, seed)
    snapshot = table.look(table.pipeline())
    truth = table.truth()
    assert {item.name for item in snapshot.objects} == set(truth)
    for item in snapshot.objects:
        assert np.linalg.norm(np.subtract(item.pose_world.position_m, truth[item.name])) < 0.01, item.name
        assert item.container == 'table'
        assert item.visible
    expected = {item.name: item for item in table.table.scene.containers}
    # Where it stands, a bowl is a container as well.
    assert (snapshot.container_named('bowl') is not None) == ('bowl' in truth or 'bowl' in expected)
    found = {item.name: item for item in snapshot.containers if item.name not in (USERS_SIDE, HAND, *truth)}
    assert set(found) == set(expected)
    for name, item in found.items():
        assert item.position_world_m[:2] == pytest.approx(expected[name].position_world_m[:2], abs=0.01)
        assert item.size_m == pytest.approx(expected[name].size_m, abs=0.01)


def test_sizes_and_colours_come_from_the_picture(make_table):
    table = make_table('sorting_tower', 2)
    snapshot = table.look(table.pipeline())
    for item in table.table.scene.objects:
        seen = snapshot.object_named(item.name)
        assert seen.attributes == (item.colour,)
        assert sorted(seen.size_m) == pytest.approx(sorted(item.size_m), abs=0.008)


def test_a_moved_camera_whose_pose_is_known_sees_the_same_poses(make_table):
    here, there = make_table(seed=3), make_table(seed=3, camera_offset_m=(0.06, -0.02, -0.03))
    before = here.look(here.pipeline())
    position = np.add(here.pipeline().camera.position_m, (0.06, -0.02, -0.03))
    x, y, z, w = (-0.70153103, 0.70153103, 0.08862398, -0.08862398)
    scale = (x * x + y * y + z * z + w * w) ** -0.5
    moved = PerceptionConfig(
        camera_pose_from_robot=False,
        camera_pose=(*(float(value) for value in position), x * scale, y * scale, z * scale, w * scale),
    )
    after = there.look(there.pipeline(moved))
    assert {item.name for item in after.objects} == {item.name for item in before.objects}
    for item in after.objects:
        other = before.object_named(item.name).pose_world.position_m
        assert item.pose_world.position_m == pytest.approx(other, abs=0.006), item.name


def test_a_moved_camera_whose_pose_is_not_known_sees_other_poses(make_table):
    table = make_table(seed=3, camera_offset_m=(0.05, -0.06, 0.0))
    snapshot, truth = table.look(table.pipeline()), table.truth()
    errors = [
        np.subtract(item.pose_world.position_m, truth[item.name])[:2] for item in snapshot.objects if item.name in truth
    ]
    assert np.median(errors, axis=0) == pytest.approx((-0.05, 0.06), abs=0.01)


def test_a_camera_that_was_raised_unnoticed_is_refused(make_table):
    table = make_table(seed=3, camera_offset_m=(0.0, 0.0, 0.1))
    with pytest.raises(PerceptionError, match=r'near a table at z = 0\.8 m'):
        table.look(table.pipeline())


def test_a_table_a_little_off_is_corrected(make_table):
    table = make_table(seed=3)
    snapshot = table.look(table.pipeline(PerceptionConfig(table_z_m=0.81)))
    truth = table.truth()
    for item in snapshot.objects:
        assert item.pose_world.position_m == pytest.approx(truth[item.name], abs=0.01)


def test_what_is_off_the_table_is_dropped(make_table):
    table = make_table('pointing', 1)
    table.put('apple', 1.2, 0.0, 0.85)
    names = {item.name for item in table.look(table.pipeline()).objects}
    assert 'apple' not in names
    assert 'pear' in names


def test_two_equal_things_get_two_names(make_table):
    table = make_table('pointing', 1, objects=('pear', 'pear', 'apple', 'can'))
    snapshot = table.look(table.pipeline())
    assert {item.name for item in snapshot.objects} == {'pear', 'pear 2', 'apple', 'can'}


@pytest.mark.parametrize('turned', [0.0, 0.3, 0.6])
@pytest.mark.parametrize('high', [1, 2, 3, 4])
def test_a_tower_that_stands_when_perception_starts_is_known_from_bottom_to_top(make_table, high, turned):
    """As after a restart in the middle of building it."""
    table = make_table('sorting_tower', 0)
    cubes = ('red cube', 'green cube', 'blue cube', 'yellow cube')[:high]
    mat = table.container('tower')
    for level, name in enumerate(cubes):
        table.put(name, *np.add(mat, (0.001 * level, -0.001 * level, 0.0265 + 0.0445 * level)), yaw=turned * level)
    snapshot = table.look(table.pipeline(), frames=2)
    tower = snapshot.container_named('tower')
    assert tower.contents == cubes
    assert tower.size_m[2] == pytest.approx(0.004 + 0.0445 * high, abs=0.006)
    truth = table.truth()
    for item in snapshot.objects:
        if item.container == 'tower':
            # Of the covered ones a side is seen, and that is taken for their middle.
            x, y, z = np.subtract(item.pose_world.position_m, truth[item.name])
            assert abs(z) < 0.012
            assert np.hypot(x, y) < (0.005 if item.name == cubes[-1] else 0.03)


def test_things_in_boxes_on_the_tower_and_in_the_bowl_are_said_to_be_there(make_table):
    table = make_table('sorting_tower', 3)
    pipeline = table.pipeline()
    before = table.look(pipeline)
    one, two, tower = (table.container(name) for name in ('box 1', 'box 2', 'tower'))
    table.put('apple', *np.add(one, (0.05, 0.04, 0.037)))
    table.put('pear', *np.add(one, (0.03, -0.05, 0.035)))
    table.put('cup', *np.add(two, (-0.03, 0.04, 0.0435)))
    table.put('bowl', *np.add(two, (0.04, -0.04, 0.027)))
    table.put('red cube', *np.add(tower, (0, 0, 0.0265)))
    table.put('green cube', *np.add(tower, (0, 0, 0.0715)))
    after = table.look(pipeline, 3)
    held = {item.name: item.contents for item in after.containers}
    assert set(held['box 1']) == {'apple', 'pear'}
    assert set(held['box 2']) == {'cup', 'bowl'}
    assert held['tower'] == ('red cube', 'green cube')
    assert after.container_named('tower').size_m[2] == pytest.approx(0.094, abs=0.004)
    assert {item.name: item.object_id for item in after.objects} == {
        item.name: item.object_id for item in before.objects
    }
    truth = table.truth()
    for name in ('apple', 'pear', 'cup', 'bowl', 'green cube'):
        assert after.object_named(name).pose_world.position_m == pytest.approx(truth[name], abs=0.01), name


def test_a_perception_that_starts_late_finds_what_is_already_put_away(make_table):
    table = make_table('arrangement', 2)
    bowl = table.container('bowl')
    for name, place in {
        'apple': (0.05, 0.0, 0.05),
        'banana': (-0.05, -0.04, 0.055),
        'lemon': (-0.05, 0.04, 0.05),
        'orange': (0.02, -0.06, 0.06),
        'pear': (0.03, 0.055, 0.055),
    }.items():
        table.put(name, *np.add(bowl, place))
    snapshot = table.look(table.pipeline(), 2)
    contents = {item.name: item.container for item in snapshot.objects}
    assert contents == {**dict.fromkeys(('apple', 'banana', 'lemon', 'orange', 'pear'), 'bowl'), 'can': 'table'}


def test_a_thing_carried_into_a_box_keeps_its_id_all_the_way(make_table, disc_hands):
    table = make_table('sorting', 1)
    config, lexicon = PerceptionConfig(), load_lexicon()
    pipeline = Pipeline(
        lexicon=lexicon,
        config=config,
        detector=PrototypeDetector(lexicon, config),
        robot=disc_hands,
        camera=make_camera(table.intrinsics, HeadCamera(table.table.profile).at({})),
    )
    before = table.look(pipeline)
    start, goal = table.truth()['pear'], np.add(table.container('box 1'), (0.03, 0.02, 0.035))
    lift, grip = np.array([0, 0, 0.2]), np.array([0, 0, 0.05])
    route = [start, start + lift / 2, start + lift]
    route += [start + lift + share * (goal - start) for share in np.linspace(0.1, 1.0, 8)]
    disc_hands.hands = (HandState('left', tuple(start + grip), False),)
    table.look(pipeline)
    containers = []
    for spot in route:
        table.put('pear', *spot)
        disc_hands.hands = (HandState('left', tuple(spot + grip), True),)
        containers.append(table.look(pipeline).object_named('pear').container)
    assert containers[0] == 'table'
    assert containers[3:] == [HAND] * 8
    table.put('pear', *goal)
    disc_hands.hands = (HandState('left', tuple(goal + lift + grip), False),)
    assert table.look(pipeline).object_named('pear').container == 'box 1'
    disc_hands.hands = ()
    after = table.look(pipeline, 2)
    assert (after.object_named('pear').container, after.object_named('pear').inferred) == ('box 1', False)
    assert {item.name: item.object_id for item in after.objects} == {
        item.name: item.object_id for item in before.objects
    }


def test_only_what_is_in_the_vocabulary_is_told(make_table):
    table = make_table('pointing', 1)
    pipeline = table.pipeline()
    pipeline.set_vocabulary(('pear', 'can'))
    snapshot = table.look(pipeline)
    assert {item.label for item in snapshot.objects} == {'pear', 'can'}
    assert snapshot.vocabulary == ('pear', 'can')
    pipeline.set_vocabulary(())
    assert set(pipeline.vocabulary) == set(load_lexicon().labels)


def test_a_word_that_the_detector_does_not_know_is_refused(make_table):
    pipeline = make_table('pointing', 1).pipeline()
    with pytest.raises(PerceptionError, match=r"'unicorn'; known are apple"):
        pipeline.set_vocabulary(('pear', 'unicorn'))


def test_images_that_do_not_fit_the_camera_are_refused(make_table):
    table = make_table('pointing', 1)
    pipeline, frame = table.pipeline(), table.frame()
    with pytest.raises(PerceptionError, match='a colour image must be'):
        pipeline.process(dataclasses.replace(frame, rgb=frame.rgb[::2]))
    with pytest.raises(PerceptionError, match='a depth image must be'):
        pipeline.process(dataclasses.replace(frame, depth_m=frame.depth_m.astype(np.float64)))


def test_without_joint_positions_nothing_is_told(make_table):
    table = make_table('pointing', 1)
    frame = table.frame()
    with pytest.raises(PerceptionError, match='joint states lack'):
        table.pipeline().process(Frame(stamp_s=frame.stamp_s, rgb=frame.rgb, depth_m=frame.depth_m, joint_positions={}))


def test_an_empty_depth_image_is_no_empty_table(make_table):
    table = make_table('pointing', 1)
    frame = table.frame()
    with pytest.raises(PerceptionError, match='0 of'):
        table.pipeline().process(dataclasses.replace(frame, depth_m=np.zeros_like(frame.depth_m)))
