"""Physics: things stay where they are put, in boxes and bowls, on towers; hands take only what they touch."""

import dataclasses
from collections.abc import Callable, Sequence

import mujoco
import numpy as np
import pytest

from lucca_core.protocol.snapshots import Pose
from lucca_robot.profile import RobotProfile
from lucca_sim.mujoco_world import holds_name
from lucca_sim.physics_table import PhysicsTable, weld_data
from lucca_sim.scene import Scene, load_scene
from lucca_sim.trajectory_controller import Trajectory

pytestmark = pytest.mark.physics


@pytest.mark.parametrize('name', ['sorting_tower', 'arrangement', 'recipe'])
def test_nothing_rolls_off_in_ten_seconds(name: str, profile: RobotProfile) -> None:
    scene = load_scene(name, 11)
    table = PhysicsTable(scene, profile)
    table.step(10.0)
    states = table.object_states()
    starts = np.array([item.pose.position_m for item in scene.objects])
    assert np.linalg.norm(states.positions_m - starts, axis=1).max() < 0.01
    assert np.linalg.norm(states.velocities[:, :3], axis=1).max() < 0.002


def drop(table: PhysicsTable, name: str, place: np.ndarray, rng: np.random.Generator, tilt: float) -> None:
    """Before it counts as started: puts an object somewhere in the air, turned at random, and lets it fall for 2 s."""
    model, data = table.model, table.data
    joint = model.joint(name).id
    address, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    yaw = rng.uniform(-np.pi, np.pi)
    turn = np.array((np.cos(yaw / 2), *rng.normal(scale=tilt, size=2), np.sin(yaw / 2)))
    data.qpos[address : address + 3] = place
    data.qpos[address + 3 : address + 7] = turn / np.linalg.norm(turn)
    data.qvel[dof : dof + 6] = 0
    table.step(table.time_s + 2.0)


@pytest.mark.parametrize(
    ('scene_name', 'container_name', 'names'),
    [
        ('arrangement', 'bowl', ('pear', 'orange', 'lemon', 'banana', 'apple')),
        ('sorting', 'box 1', ('apple', 'banana', 'pear')),
        ('sorting', 'box 2', ('bowl', 'cup')),
    ],
)
def test_what_is_dropped_into_a_container_stays_in_it(
    scene_name: str, container_name: str, names: Sequence[str], profile: RobotProfile
) -> None:
    rng = np.random.default_rng(3)
    scene = load_scene(scene_name, 0)
    container = scene.container_named(container_name)
    assert container is not None
    table = PhysicsTable(scene, profile)
    for name in names:
        spot = np.array(container.position_world_m) + np.array((0, 0, container.size_m[2] + 0.08))
        drop(table, name, spot + np.array((*rng.uniform(-0.02, 0.02, 2), 0)), rng, 0.15)
    table.step(table.time_s + 2.0)
    states = table.object_states()
    for name in names:
        index = scene.object_names.index(name)
        x, y, _ = states.positions_m[index]
        assert container.outline.contains(x, y)
        assert np.linalg.norm(states.velocities[index, :3]) < 0.01


def test_four_cubes_stack_when_each_is_put_down_a_little_off(profile: RobotProfile) -> None:
    rng = np.random.default_rng(4)
    scene = load_scene('tower', 0)
    pad = scene.container_named('tower')
    assert pad is not None
    table = PhysicsTable(scene, profile)
    names = ('red cube', 'green cube', 'blue cube', 'yellow cube')
    size = 0.045
    for level, name in enumerate(names):
        height = pad.size_m[2] + level * size + size / 2 + 0.008
        drop(table, name, np.array(pad.position_world_m) + np.array((*rng.uniform(-0.006, 0.006, 2), height)), rng, 0.0)
    heights = [table.object_states().positions_m[scene.object_names.index(name), 2] for name in names]
    steps = np.diff([pad.position_world_m[2] + pad.size_m[2] - size / 2, *heights])
    assert steps == pytest.approx([size] * 4, abs=0.002)


def test_a_weld_is_made_only_while_the_hand_touches(profile: RobotProfile, put_in_hand: Callable[..., None]) -> None:
    table = PhysicsTable(load_scene('tower', 0), profile)
    put_in_hand(table, 'red cube', 'right')
    hand = profile.arms['right'].hand
    table.command(hand.controller, Trajectory(hand.joints, [0.6], [hand.closed], None, 0))
    links = {table.model.body(link).id for link in profile.hand_links('right')}
    cube = table.model.body('red cube').id
    index = table.scene.object_names.index('red cube')
    touched = False
    for tick in range(100):
        table.step(0.02 * tick)
        bodies = table.model.geom_bodyid[table.data.contact.geom]
        touched = touched or any(cube in pair and links & set(pair.tolist()) for pair in bodies)
        if table.object_states().held_by[index]:
            break
        assert not table.data.eq_active.any()
    assert touched
    assert table.object_states().held_by[index] == 'right'
    assert table.data.eq_active.sum() == 1


def test_a_fist_that_comes_to_an_object_does_not_take_it(
    profile: RobotProfile, put_in_hand: Callable[..., None]
) -> None:
    table = PhysicsTable(load_scene('tower', 0), profile)
    hand = profile.arms['left'].hand
    table.command(hand.controller, Trajectory(hand.joints, [0.5], [hand.closed], None, 0))
    table.step(2.5)
    put_in_hand(table, 'red cube', 'left', 0.0)
    table.step(3.5)
    assert set(table.object_states().held_by) == {''}


def test_a_held_object_keeps_its_place_in_the_hand(profile: RobotProfile, put_in_hand: Callable[..., None]) -> None:
    table = PhysicsTable(load_scene('tower', 0), profile)
    put_in_hand(table, 'red cube', 'left')
    arm = profile.arms['left']
    table.command(arm.hand.controller, Trajectory(arm.hand.joints, [0.6], [arm.hand.closed], None, 0))
    table.step(1.0)
    table.model.opt.gravity[2] = -9.81

    def in_hand() -> np.ndarray:
        palm, cube = table.data.body(arm.tool_link), table.data.body('red cube')
        return palm.xmat.reshape(3, 3).T @ (cube.xpos - palm.xpos)

    table.step(1.5)
    held = in_hand()
    goal = np.array(arm.home)
    goal[[0, 5]] += (-0.3, -0.4)
    table.command(arm.controller, Trajectory(arm.joints, [1.0], [goal], None, 0))
    for tick in range(80):
        table.step(1.5 + 0.02 * tick)
        assert np.linalg.norm(in_hand() - held) < 0.01


def test_equal_tables_with_equal_commands_have_equal_histories(profile: RobotProfile) -> None:
    ends = []
    for _ in range(2):
        table = PhysicsTable(load_scene('sorting', 5), profile)
        arm = profile.arms['left']
        table.command(arm.controller, Trajectory(arm.joints, [0.5], [np.array(arm.home) * 0.9], None, 0))
        table.step(1.0)
        ends.append(table.data.qpos.copy())
    assert np.array_equal(ends[0], ends[1])


def test_servos_follow_a_moving_target_closely(profile: RobotProfile) -> None:
    table = PhysicsTable(load_scene('pointing', 0), profile)
    arm = profile.arms['right']
    goal = np.array(arm.home) * 0.6
    table.command(arm.controller, Trajectory(arm.joints, [2.0], [goal], [np.zeros(len(goal))], 0))
    sites = []
    for tick in range(100):
        table.step(0.02 * tick)
        asked = mujoco.MjData(table.model)
        asked.qpos[:] = table.data.qpos
        part = min(1.0, 0.02 * tick / 2)
        for name, start, end in zip(arm.joints, arm.home, goal, strict=True):
            asked.qpos[table.model.jnt_qposadr[table.model.joint(name).id]] = start + (end - start) * (
                3 * part**2 - 2 * part**3
            )
        mujoco.mj_kinematics(table.model, asked)
        mujoco.mj_kinematics(table.model, table.data)
        site = table.model.site('right tool').id
        sites.append(np.linalg.norm(asked.site_xpos[site] - table.data.site_xpos[site]))
    assert max(sites) < 0.01


CUBES = ('red cube', 'green cube', 'blue cube', 'yellow cube')


def stacked(offsets_m: Sequence[tuple[float, float]]) -> Scene:
    """The tower scene with cubes on the pad, each displaced from the one below and turned by 0.7 rad against it."""
    scene = load_scene('tower', 0)
    pad = scene.container_named('tower')
    assert pad is not None
    x, y, top = pad.position_world_m[0], pad.position_world_m[1], pad.position_world_m[2] + pad.size_m[2]
    placed = {}
    for level, (name, (dx, dy)) in enumerate(zip(CUBES, offsets_m, strict=False)):
        item = scene.object_named(name)
        assert item is not None
        x, y, half = x + dx, y + dy, 0.35 * level
        centre = (x, y, top + item.size_m[2] / 2)
        top += item.size_m[2]
        placed[name] = dataclasses.replace(item, pose=Pose(centre, (0.0, 0.0, np.sin(half), np.cos(half))))
    return dataclasses.replace(scene, objects=tuple(placed.get(item.name, item) for item in scene.objects))


def test_a_tower_stands_as_it_was_built(profile: RobotProfile) -> None:
    """Soft friction let cubes slide on each other, the upper ones by millimetres a minute, until they fell."""
    scene = stacked([(0.001, 0.0), (0.003, 0.002), (-0.002, 0.002), (-0.003, -0.002)])
    table = PhysicsTable(scene, profile)
    table.step(2.0)
    built = table.object_states().positions_m
    table.step(122.0)
    assert np.linalg.norm(table.object_states().positions_m - built, axis=1).max() < 2e-4


@pytest.mark.parametrize('beyond_m', [0.002, 0.01])
def test_a_tower_that_is_out_of_balance_falls(beyond_m: float, profile: RobotProfile) -> None:
    """What rests is left alone, but only what rests: it does not fall asleep on the edge."""
    scene = stacked([(0.0, 0.0), (0.0225 + beyond_m, 0.0)])
    table = PhysicsTable(scene, profile)
    table.step(3.0)
    upper = table.object_states().positions_m[scene.object_names.index('green cube')]
    assert upper[2] < scene.table.height_m + 0.04


def test_a_tower_at_rest_falls_when_it_is_struck(profile: RobotProfile) -> None:
    scene = stacked([(0.0, 0.0)] * 4)
    table = PhysicsTable(scene, profile)
    table.step(5.0)
    struck = table.model.jnt_dofadr[table.model.joint(CUBES[2]).id]
    table.data.qvel[struck] = 1.5
    table.step(8.0)
    upper = [table.object_states().positions_m[scene.object_names.index(name), 2] for name in CUBES[2:]]
    assert max(upper) < scene.table.height_m + 0.1


def test_what_a_hand_held_still_falls_when_it_lets_go(profile: RobotProfile, put_in_hand: Callable[..., None]) -> None:
    """What rests sleeps; what only a hand kept at rest does not, or it would stay in the air."""
    table = PhysicsTable(load_scene('tower', 0), profile)
    put_in_hand(table, 'red cube', 'left', 0.05)
    palm, cube = table.model.body(profile.arms['left'].tool_link).id, table.model.body('red cube').id
    weld = table.model.equality(holds_name('left', 'red cube')).id
    table.model.eq_data[weld, :11] = weld_data(table.data, palm, cube)
    table.data.eq_active[weld] = 1
    table.model.opt.gravity[2] = -9.81
    table.step(3.0)
    high = table.data.xpos[cube, 2]
    table.data.eq_active[weld] = 0
    table.step(4.0)
    assert table.data.xpos[cube, 2] < high - 0.05


def test_what_leans_on_something_that_goes_away_does_not_stay_in_the_air(profile: RobotProfile) -> None:
    """The upper cube rests on two; one is struck away, and the other is too far from its middle to carry it."""
    scene = stacked([(0.0, 0.0)])
    upper, lower, beside = (scene.object_named(name) for name in CUBES[1::-1] + CUBES[2:3])
    assert upper is not None
    assert lower is not None
    assert beside is not None
    x, y, z = lower.pose.position_m
    poses = {beside.name: Pose((x, y + 0.05, z)), upper.name: Pose((x, y + 0.025, z + 0.045))}
    objects = [dataclasses.replace(item, pose=poses.get(item.name, item.pose)) for item in scene.objects]
    table = PhysicsTable(dataclasses.replace(scene, objects=tuple(objects)), profile)
    table.step(2.0)
    table.data.qvel[table.model.jnt_dofadr[table.model.joint(lower.name).id] + 1] = -2.5
    table.step(4.0)
    assert table.object_states().positions_m[scene.object_names.index(upper.name), 2] < z + 0.04
