"""Whole motions on random tables, judged by a check of their own: a MuJoCo model made of the truth, not of the snapshot."""

import contextlib
import dataclasses
import functools

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action_node.body import ProfileBody
from action_node.motion import clear as clear_module
from action_node.motion import planner as planner_module
from action_node.motion.arm import NoWay
from action_node.motion.config import MotionConfig
from action_node.motion.held import in_hands
from action_node.motion.plan import MotionPlan, MotionRequest
from action_node.motion.planner import MotionPlanner
from action_node.motion.skills import Attempts
from action_node.motion.trajectory import positions_at
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.values import HAND, TABLE, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_robot.kinematics import RobotKinematics
from lucca_robot.model import robot_spec
from lucca_robot.profile import load_profile

TOP = 0.8
PROFILES = {name: load_profile(name) for name in ('nicol', 'two_six_dof')}
CONTAINERS = (
    Container(name='box 1', position_world_m=(0.3, 0.115, TOP), size_m=(0.22, 0.2, 0.085)),
    Container(name='box 2', position_world_m=(0.3, -0.115, TOP), size_m=(0.22, 0.2, 0.085)),
    Container(name='tower', position_world_m=(0.54, 0.0, TOP), size_m=(0.11, 0.11, 0.004)),
    Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, TOP), size_m=(0.32, 1.94, 0.0)),
)
SIZES = {
    'sphere': [(0.062, 0.062, 0.062), (0.07, 0.07, 0.07)],
    'box': [(0.045, 0.045, 0.045), (0.078, 0.056, 0.036), (0.09, 0.05, 0.05)],
    'cylinder': [(0.058, 0.058, 0.092), (0.068, 0.068, 0.075), (0.104, 0.104, 0.042)],
}


@functools.cache
def planner(name: str) -> MotionPlanner:
    return MotionPlanner(PROFILES[name])


@dataclasses.dataclass(frozen=True)
class Thing:
    name: str
    shape: str
    size_m: tuple[float, float, float]
    x: float
    y: float
    yaw: float

    @property
    def centre(self) -> np.ndarray:
        return np.array([self.x, self.y, TOP + self.size_m[2] / 2])


def random_table(seed: int, count: int) -> list[Thing]:
    rng = np.random.default_rng(seed)
    things: list[Thing] = []
    for index in range(400):
        x, y = rng.uniform(0.24, 0.6), rng.choice([-1, 1]) * rng.uniform(0.13, 0.48)
        in_box = x < 0.5 and abs(y) < 0.31
        if in_box or (x > 0.4 and abs(y) < 0.15) or any(np.hypot(x - t.x, y - t.y) < 0.12 for t in things):
            continue
        shape = str(rng.choice(list(SIZES)))
        size = SIZES[shape][rng.integers(len(SIZES[shape]))]
        things.append(Thing(f'thing {index}', shape, size, float(x), float(y), float(rng.uniform(-3, 3))))
        if len(things) == count:
            break
    return things


def seen(things: list[Thing], seed: int, noise_m: float = 0.002) -> Snapshot:
    rng = np.random.default_rng(seed)
    objects = []
    for thing in things:
        x, y, z = thing.centre + rng.normal(size=3) * noise_m
        turn = (0.0, 0.0, float(np.sin(thing.yaw / 2)), float(np.cos(thing.yaw / 2)))
        objects.append(
            TableObject(
                object_id=thing.name,
                name=thing.name,
                label='thing',
                pose_world=Pose((float(x), float(y), float(z)), turn),
                size_m=thing.size_m,
            )
        )
    return Snapshot(objects=tuple(objects), containers=CONTAINERS)


class Truth:
    """A model of the table as it really is, in which a plan is played point by point."""

    def __init__(self, name: str, things: list[Thing]) -> None:
        self.profile = PROFILES[name]
        spec = robot_spec(self.profile)
        world = spec.worldbody
        box = mujoco.mjtGeom.mjGEOM_BOX
        world.add_geom(name='table', type=box, size=(0.48, 0.97, 0.02), pos=(0.5, 0.0, TOP - 0.02))
        for container in CONTAINERS[:3]:
            (x, y, _), (sx, sy, sz) = container.position_world_m, container.size_m
            walls = [((sx / 2, sy / 2, 0.002), (x, y, TOP + 0.002))]
            if container.name.startswith('box'):
                for side in (-1, 1):
                    walls.append(((0.003, sy / 2, sz / 2), (x + side * (sx / 2 - 0.003), y, TOP + sz / 2)))
                    walls.append(((sx / 2, 0.003, sz / 2), (x, y + side * (sy / 2 - 0.003), TOP + sz / 2)))
            for index, (size, pos) in enumerate(walls):
                world.add_geom(name=f'{container.name}/{index}', type=box, size=size, pos=pos)
        kinds = {'sphere': mujoco.mjtGeom.mjGEOM_SPHERE, 'box': box, 'cylinder': mujoco.mjtGeom.mjGEOM_CYLINDER}
        for thing in things:
            x, y, z = (extent / 2 for extent in thing.size_m)
            body = world.add_body(name=thing.name, pos=thing.centre)
            body.add_freejoint()
            body.quat = (np.cos(thing.yaw / 2), 0.0, 0.0, np.sin(thing.yaw / 2))
            size = {'sphere': (x, 0, 0), 'box': (x, y, z), 'cylinder': (x, z, 0)}[thing.shape]
            body.add_geom(name=thing.name, type=kinds[thing.shape], size=size)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.things = {thing.name for thing in things}
        self.address = {j.name: int(self.model.joint(j.name).qposadr[0]) for j in self.profile.moving_joints}
        for joint, value in self.profile.home.items():
            self.data.qpos[self.address[joint]] = value
        self.hands = {arm: set(self.profile.hand_links(arm)) for arm in self.profile.arms}

    def stand(self, joints: dict[str, float]) -> None:
        for joint, value in joints.items():
            self.data.qpos[self.address[joint]] = value
        mujoco.mj_kinematics(self.model, self.data)

    def touches(self, plan: MotionPlan, held: str, *, carrying: bool = False) -> list[tuple[str, str, str, float]]:
        """All contacts of the whole plan but those of the hand with its object and of that with what it stands on."""
        found = []
        grasped = carrying
        for segment in plan.segments:
            closing = segment.name == 'close'
            for row in positions_at(segment, np.arange(0.0, segment.duration_s, 0.02)):
                relative = self._held_pose(plan.arm, held) if carrying else None
                for joint, value in zip(segment.joints, row.tolist(), strict=True):
                    self.data.qpos[self.address[joint]] = value
                if relative is not None:
                    self._put(plan.arm, held, relative)
                mujoco.mj_kinematics(self.model, self.data)
                mujoco.mj_collision(self.model, self.data)
                for contact in self.data.contact:
                    first, second = (self._name(geom) for geom in contact.geom)
                    if contact.dist < 0 and not self._is_fine(plan.arm, first, second, held, closing or grasped):
                        found.append((segment.name, first, second, float(contact.dist)))
            if closing:
                carrying = grasped = True
            if segment.name == 'open' and grasped:
                carrying = False
        return found

    def _is_fine(self, arm: str, first: str, second: str, held: str, grasped: bool) -> bool:
        pair = {first, second}
        if held not in pair:
            return pair <= self.things | {'table', 'tower', 'box 1', 'box 2'}
        other = (pair - {held}).pop()
        return (grasped and other in self.hands[arm]) or other in ('table', 'tower')

    def _name(self, geom: int) -> str:
        return str(self.model.geom(int(geom)).name.rsplit('/', 1)[0])

    def _held_pose(self, arm: str, held: str) -> tuple[np.ndarray, np.ndarray]:
        palm, body = self.data.body(self.profile.arms[arm].tool_link), self.data.body(held)
        rotation = palm.xmat.reshape(3, 3)
        return rotation.T @ (body.xpos - palm.xpos), rotation.T @ body.xmat.reshape(3, 3)

    def _put(self, arm: str, held: str, relative: tuple[np.ndarray, np.ndarray]) -> None:
        mujoco.mj_kinematics(self.model, self.data)
        palm = self.data.body(self.profile.arms[arm].tool_link)
        rotation = palm.xmat.reshape(3, 3)
        address = int(self.model.jnt_qposadr[self.model.body(held).jntadr[0]])
        self.data.qpos[address : address + 3] = palm.xpos + rotation @ relative[0]
        turned = np.zeros(4)
        mujoco.mju_mat2Quat(turned, (rotation @ relative[1]).ravel())
        self.data.qpos[address + 3 : address + 7] = turned


def check_speeds_and_limits(name: str, plan: MotionPlan) -> None:
    profile, config = PROFILES[name], MotionConfig()
    kinematics = RobotKinematics(profile)
    joints = dict(profile.home)
    for segment in plan.segments:
        for joint, value in zip(segment.joints, segment.positions[0], strict=True):
            assert joints[joint] == pytest.approx(value, abs=1e-4), f'{segment.name} does not begin where {joint} is'
        assert not segment.velocities[[0, -1]].any()
        step = 0.02
        sampled = positions_at(segment, np.arange(0.0, segment.duration_s, step))
        rates = np.abs(np.diff(sampled, axis=0)) / step
        tips = []
        for column, joint in enumerate(segment.joints):
            limits = profile.description.joint(joint)
            assert sampled[:, column].min() >= limits.lower - 1e-9
            assert sampled[:, column].max() <= limits.upper + 1e-9
            assert np.abs(segment.velocities[:, column]).max() <= limits.velocity + 1e-6
            assert rates[:, column].max() <= limits.velocity + 1e-6
        if 'arm' in segment.controller:
            for row in sampled:
                kinematics.update(joints | dict(zip(segment.joints, row.tolist(), strict=True)))
                tips.append(kinematics.tool_position(plan.arm))
            assert np.linalg.norm(np.diff(tips, axis=0), axis=1).max() / step <= config.tool_speed_mps * 1.005
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    for joint in (*profile.arms[plan.arm].joints, *profile.arms[plan.arm].hand.joints):
        assert joints[joint] == pytest.approx(profile.home[joint], abs=1e-3)


JOBS = st.sampled_from(
    [
        ('pick_and_place', 'box 1'),
        ('pick_and_place', 'box 2'),
        ('pick_and_place', 'tower'),
        ('give', USERS_SIDE),
        ('point', ''),
    ]
)


@pytest.mark.parametrize('name', PROFILES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), job=JOBS, count=st.integers(1, 8))
def test_no_motion_touches_what_it_must_not_or_is_too_fast(
    name: str, seed: int, job: tuple[str, str], count: int
) -> None:
    things = random_table(seed, count)
    target = things[seed % len(things)]
    request = MotionRequest(job[0], target.name, job[1])
    try:
        plan = planner(name).plan(request, seen(things, seed), PROFILES[name].home)
    except MotionError:
        return
    held = target.name if job[0] != 'point' else ''
    assert Truth(name, things).touches(plan, held) == []
    check_speeds_and_limits(name, plan)


def test_a_search_that_takes_too_long_is_given_up_and_says_so() -> None:
    things = random_table(0, 6)
    hasty = MotionPlanner(PROFILES['nicol'], MotionConfig(planning_timeout_s=1e-6))
    with pytest.raises(MotionError, match=r'given up after planning_timeout_s = 1e-06 s') as caught:
        hasty.plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), seen(things, 0), PROFILES['nicol'].home)
    assert caught.value.code is ReasonCode.UNREACHABLE


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('job', [('pick_and_place', 'box 1'), ('give', USERS_SIDE), ('point', '')])
def test_ordinary_tables_have_a_motion_for_every_object(seed: int, job: tuple[str, str]) -> None:
    things = random_table(seed, 6)
    for thing in things:
        planner('nicol').plan(MotionRequest(job[0], thing.name, job[1]), seen(things, seed), PROFILES['nicol'].home)


@pytest.mark.parametrize('gap_m', [0.001, 0.004, 0.01])
@pytest.mark.parametrize('job', [('pick_and_place', 'box 1'), ('give', USERS_SIDE)])
def test_a_thing_is_lifted_out_from_beside_another(gap_m: float, job: tuple[str, str]) -> None:
    """Nearer to it than the clearance that is kept everywhere else: as it fell, not as a hand would put it."""
    ball, box = (0.062, 0.062, 0.062), (0.078, 0.056, 0.036)
    for away in (-1, 1):
        things = [
            Thing('ball', 'sphere', ball, 0.45, 0.4, 0.0),
            Thing('box', 'box', box, 0.45, 0.4 + away * (0.031 + 0.028 + gap_m), 0.0),
        ]
        for thing in things:
            snapshot = seen(things, 0, 0.0)
            plan = planner('nicol').plan(MotionRequest(job[0], thing.name, job[1]), snapshot, PROFILES['nicol'].home)
            assert Truth('nicol', things).touches(plan, thing.name) == []


@pytest.mark.parametrize('height_m', [0.012, 0.018, 0.024])
@pytest.mark.parametrize('gap_m', [0.0005, 0.004])
def test_what_is_given_is_not_pushed_over_a_flat_thing_in_its_way(height_m: float, gap_m: float) -> None:
    """It slides along the table elsewhere; here it is lifted."""
    radius_m = 0.031 + 0.052 + gap_m
    things = [
        Thing('ball', 'sphere', (0.062, 0.062, 0.062), 0.45, 0.4, 0.0),
        Thing('disc', 'cylinder', (0.104, 0.104, height_m), 0.45 + radius_m, 0.4, 0.0),
    ]
    request = MotionRequest('give', 'ball')
    plan = planner('nicol').plan(request, seen(things, 0, 0.0), PROFILES['nicol'].home)
    assert Truth('nicol', things).touches(plan, 'ball') == []


@pytest.mark.parametrize('height_m', [0.006, 0.009, 0.013])
@pytest.mark.parametrize('ahead_m', [0.1, 0.16])
def test_what_is_given_does_not_slide_over_a_flat_thing_farther_along(height_m: float, ahead_m: float) -> None:
    """A bottle reaches down as far as it is held up, not as far as would be handy."""
    things = [
        Thing('bottle', 'cylinder', (0.06, 0.06, 0.16), 0.45, 0.3, 0.0),
        Thing('phone', 'box', (0.08, 0.3, height_m), 0.45 + ahead_m, 0.3, 0.0),
    ]
    plan = planner('nicol').plan(MotionRequest('give', 'bottle'), seen(things, 0, 0.0), PROFILES['nicol'].home)
    assert Truth('nicol', things).touches(plan, 'bottle') == []


def test_only_what_is_in_the_way_of_the_grasp_is_come_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall of boxes on two sides of a ball, and one far away."""
    size = (0.045, 0.045, 0.045)
    around = [(0.056, 0.0), (-0.056, 0.0), (0.0, 0.056), (0.0, -0.056)]
    things = [
        Thing('ball', 'sphere', (0.062, 0.062, 0.062), 0.45, 0.4, 0.0),
        *(Thing(f'box {index}', 'box', size, 0.45 + x, 0.4 + y, 0.0) for index, (x, y) in enumerate(around)),
        Thing('far', 'box', size, 0.3, -0.4, 0.0),
    ]
    asked = []
    real = planner_module.pick_and_place

    def spy(*args: object) -> MotionPlan | None:
        asked.append(args[5] if len(args) > 5 else ())
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(planner_module, 'pick_and_place', spy)
    with contextlib.suppress(MotionError):
        planner('nicol').plan(
            MotionRequest('pick_and_place', 'ball', 'box 1'), seen(things, 0, 0.0), PROFILES['nicol'].home
        )
    assert asked[:2] == [(), ()]
    assert asked[2:]
    assert all(names and 'far' not in names and 'ball' not in names for names in asked[2:])


def test_what_is_out_of_reach_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = planner_module.pick_and_place

    def spy(*args: object) -> MotionPlan | None:
        asked.append(args)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(planner_module, 'pick_and_place', spy)
    box = (0.05, 0.05, 0.05)
    things = [Thing('near', 'box', box, 0.4, 0.4, 0.0), Thing('far', 'box', box, 0.9, 0.9, 0.0)]
    with pytest.raises(MotionError, match='does not reach'):
        planner('nicol').plan(MotionRequest('pick_and_place', 'far', 'box 1'), seen(things, 0), PROFILES['nicol'].home)
    assert len(asked) == len(PROFILES['nicol'].arms)


@pytest.mark.parametrize('kind', ['pick_and_place', 'point'])
def test_there_is_no_second_search_for_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target is not beside itself, and a pointing finger comes near to nothing."""
    asked = []

    def in_the_way(arm: object, situation: object, solid: object, *rest: object) -> None:
        attempts = next(item for item in rest if isinstance(item, Attempts))
        attempts.note(NoWay(2, 'it is in the way', 'box' if kind == 'pick_and_place' else 'other'))
        asked.append(rest)

    monkeypatch.setattr(planner_module, kind, in_the_way)
    size = (0.05, 0.05, 0.05)
    things = [Thing('box', 'box', size, 0.4, 0.4, 0.0), Thing('other', 'box', size, 0.4, 0.46, 0.0)]
    with pytest.raises(MotionError, match='in the way'):
        planner('nicol').plan(MotionRequest(kind, 'box', 'box 1'), seen(things, 0), PROFILES['nicol'].home)  # type: ignore[arg-type]
    assert len(asked) == len(PROFILES['nicol'].arms)


@pytest.mark.parametrize('name', PROFILES)
@pytest.mark.parametrize('seed', range(4))
def test_the_ray_of_the_finger_goes_through_the_object_from_a_distance(name: str, seed: int) -> None:
    things = random_table(seed, 6)
    profile = PROFILES[name]
    for thing in things:
        plan = planner(name).plan(MotionRequest('point', thing.name), seen(things, seed, 0.0), profile.home)
        stretched = next(s for s in plan.segments if s.name == 'point')
        fingers = next(s for s in plan.segments if s.name == 'stretch finger')
        kinematics = RobotKinematics(profile)
        kinematics.update(
            profile.home
            | dict(zip(fingers.joints, fingers.positions[-1].tolist(), strict=True))
            | dict(zip(stretched.joints, stretched.positions[-1].tolist(), strict=True))
        )
        tip, direction = kinematics.pointing_ray(plan.arm)
        away = thing.centre - tip
        assert np.linalg.norm(away - (away @ direction) * direction) < 0.02
        assert away @ direction > 0.05 + max(thing.size_m) / 2
        assert stretched.times_s[-1] - stretched.times_s[-2] >= MotionConfig().dwell_s - 1e-9


def test_a_thing_is_given_beyond_what_was_given_before_when_there_is_no_reach_before_it() -> None:
    """The nearest free places all lie too far to the side; on the other side of the bowl and the jello there is room."""
    things = [
        Thing('apple', 'sphere', (0.062, 0.062, 0.062), 0.562, -0.19, 0.0),
        Thing('banana', 'box', (0.14, 0.052, 0.034), 0.251, 0.47, 3.0),
        Thing('can', 'cylinder', (0.058, 0.058, 0.092), 0.221, -0.153, 0.0),
        Thing('bowl', 'cylinder', (0.104, 0.104, 0.042), 0.694, 0.36, 1.5),
        Thing('jello', 'box', (0.078, 0.056, 0.036), 0.695, 0.174, 3.1),
    ]
    snapshot = dataclasses.replace(seen(things, 0, 0.0), containers=CONTAINERS[3:])
    plan = planner('nicol').plan(MotionRequest('give', 'banana'), snapshot, PROFILES['nicol'].home)
    assert plan.arm == 'left'
    assert plan.placed_at_m is not None
    assert plan.placed_at_m[1] < 0.1


def stacked(container: str, count: int) -> list[TableObject]:
    return [
        TableObject(
            object_id=f'cube {index}',
            name=f'cube {index}',
            label='cube',
            pose_world=Pose((0.54, 0.0, TOP + 0.004 + 0.045 * (index + 0.5))),
            size_m=(0.045, 0.045, 0.045),
            container=container,
        )
        for index in range(count)
    ]


@pytest.mark.parametrize('name', ['box 1', 'tower of boxes'])
def test_a_box_is_dropped_into_whatever_its_name_and_however_full(name: str) -> None:
    things = random_table(3, 4)
    box = dataclasses.replace(CONTAINERS[0], name=name)
    x, y, _ = box.position_world_m
    # An orange that ends exactly at the rim.
    orange = TableObject(
        object_id='orange',
        name='orange',
        label='orange',
        pose_world=Pose((x, y, TOP + 0.05)),
        size_m=(0.07, 0.07, 0.07),
        container=name,
    )
    snapshot = seen(things, 3, 0.0)
    snapshot = dataclasses.replace(snapshot, objects=(*snapshot.objects, orange), containers=(box, *CONTAINERS[1:]))
    plan = planner('nicol').plan(
        MotionRequest('pick_and_place', things[0].name, name), snapshot, PROFILES['nicol'].home
    )
    assert plan.placed_at_m is not None
    bottom = plan.placed_at_m[2] - things[0].size_m[2] / 2
    assert bottom >= TOP + box.size_m[2] + MotionConfig().drop_m - 1e-9


def test_a_tower_grows_from_the_top_that_is_perceived() -> None:
    things = random_table(3, 4)
    for count in range(4):
        top = 0.004 + 0.045 * count
        # Whatever its name is: it ends where the things on it end.
        containers = tuple(
            dataclasses.replace(c, name='glorp', size_m=(0.11, 0.11, top)) if c.name == 'tower' else c
            for c in CONTAINERS
        )
        snapshot = dataclasses.replace(
            seen(things, 3, 0.0),
            objects=(*seen(things, 3, 0.0).objects, *stacked('glorp', count)),
            containers=containers,
        )
        request = MotionRequest('pick_and_place', things[0].name, 'glorp')
        plan = planner('nicol').plan(request, snapshot, PROFILES['nicol'].home)
        assert plan.placed_at_m is not None
        bottom = plan.placed_at_m[2] - things[0].size_m[2] / 2
        assert TOP + top < bottom < TOP + top + 0.01
        assert plan.placed_at_m[:2] == (0.54, 0.0)


@pytest.mark.parametrize(
    ('request_', 'reason'),
    [
        (MotionRequest('point', 'ghost'), "no object 'ghost'"),
        (MotionRequest('pick_and_place', 'thing', 'barrel'), "no container 'barrel'"),
        (MotionRequest('pick_and_place', 'far', 'box 1'), 'does not reach'),
        (MotionRequest('dance', 'thing'), "no motion 'dance'"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_done_is_said(request_: MotionRequest, reason: str) -> None:
    snapshot = seen(
        [
            Thing('thing', 'box', (0.05, 0.05, 0.05), 0.4, 0.4, 0.0),
            Thing('far', 'box', (0.05, 0.05, 0.05), 0.9, 0.9, 0.0),
        ],
        0,
    )
    with pytest.raises(MotionError) as caught:
        planner('nicol').plan(request_, snapshot, PROFILES['nicol'].home)
    assert caught.value.code is ReasonCode.UNREACHABLE
    assert reason in str(caught.value)


def test_joint_states_that_lack_a_joint_are_a_fault() -> None:
    joints = {name: value for name, value in PROFILES['nicol'].home.items() if name != 'l_joint3'}
    things = random_table(0, 2)
    with pytest.raises(MotionError, match='l_joint3') as caught:
        planner('nicol').plan(MotionRequest('point', things[0].name), seen(things, 0), joints)
    assert caught.value.code is ReasonCode.HARDWARE_FAULT


def interrupted(plan: MotionPlan, part: float, home: dict[str, float]) -> dict[str, float]:
    """Where the robot is when a plan is broken off."""
    joints, left = dict(home), part * plan.duration_s
    for segment in plan.segments:
        row = positions_at(segment, np.array([min(left, segment.duration_s)]))[0]
        joints.update(zip(segment.joints, row.tolist(), strict=True))
        if left < segment.duration_s:
            break
        left -= segment.duration_s
    return joints


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 200), part=st.floats(0.0, 1.0), known=st.booleans(), told=st.booleans())
def test_from_wherever_it_was_broken_off_both_arms_come_home(seed: int, part: float, known: bool, told: bool) -> None:
    things = random_table(seed, 5)
    profile, snapshot = PROFILES['nicol'], seen(things, seed, 0.0)
    try:
        plan = planner('nicol').plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), snapshot, profile.home)
    except MotionError:
        return
    joints = interrupted(plan, part, profile.home)
    holding = plan.arm in ProfileBody(profile).closed_hands(joints)
    # Else perception still has it where it stood.
    if holding and told:
        objects = tuple(
            dataclasses.replace(o, container=HAND if o.object_id == things[0].name else TABLE) for o in snapshot.objects
        )
        snapshot = dataclasses.replace(snapshot, objects=objects)
    held = {plan.arm: things[0].name if known else ''} if holding else {}
    clear = planner('nicol').plan_clear(snapshot, joints, held)
    for segment in clear.segments:
        for joint, value in zip(segment.joints, segment.positions[0], strict=True):
            assert joints[joint] == pytest.approx(value, abs=1e-4)
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    for joint, value in profile.home.items():
        assert joints[joint] == pytest.approx(value, abs=0.02)
    if holding:
        assert 'open' in [segment.name for segment in clear.segments]


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('share', [0.0, 0.1, 0.3, 0.6, 1.0])
def test_a_hand_that_was_closing_when_its_process_died_takes_what_it_has_with_it(
    seed: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody noted it, and perception has it on the table still."""
    taken = []

    def spy(*args: object) -> dict[str, str]:
        taken.append(in_hands(*args))  # type: ignore[arg-type]
        return taken[-1]

    monkeypatch.setattr(clear_module, 'in_hands', spy)
    things = random_table(seed, 5)
    profile, snapshot = PROFILES['nicol'], seen(things, seed, 0.001)
    plan = planner('nicol').plan(MotionRequest('pick_and_place', things[0].name, 'box 1'), snapshot, profile.home)
    joints = dict(profile.home)
    for segment in plan.segments:
        last = share if segment.name == 'close' else 1.0
        row = positions_at(segment, np.array([last * segment.duration_s]))[0]
        joints.update(zip(segment.joints, row.tolist(), strict=True))
        if segment.name == 'close':
            break
    closed = ProfileBody(profile).closed_hands(joints)
    clear = planner('nicol').plan_clear(snapshot, joints, dict.fromkeys(closed, ''))
    assert ('carry' in [segment.name for segment in clear.segments]) is bool(closed)
    assert bool(closed) or share < 1.0
    if closed:
        assert taken == [{plan.arm: things[0].name}]
    truth = Truth('nicol', things)
    truth.stand(joints)
    played = dataclasses.replace(clear, arm=plan.arm)
    touches = truth.touches(played, things[0].name, carrying=bool(closed))
    # Fingers that have begun to close lie against it when they open again.
    assert [touch for touch in touches if touch[0] != 'open' or things[0].name not in touch[1:3]] == []
    for segment in clear.segments:
        joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    for joint, value in profile.home.items():
        assert joints[joint] == pytest.approx(value, abs=0.02)


@pytest.mark.parametrize('height_m', [0.02, 0.03, 0.06])
@pytest.mark.parametrize('known', [True, False])
def test_both_hands_put_down_what_they_had_closed_on(height_m: float, known: bool) -> None:
    """What the one still has low over the table is not in the way of the other, which moves nothing of it."""
    things = [Thing(f'{y}', 'box', (0.05, 0.05, height_m), 0.45, y, 0.0) for y in (0.4, -0.4)]
    profile, snapshot = PROFILES['nicol'], seen(things, 0, 0.0)
    joints, held = dict(profile.home), {}
    for thing in things:
        request = MotionRequest('pick_and_place', thing.name, 'box 1' if thing.y > 0 else 'box 2')
        plan = planner('nicol').plan(request, snapshot, profile.home)
        held[plan.arm] = thing.name if known else ''
        for segment in plan.segments:
            if segment.name == 'carry':
                break
            joints.update(zip(segment.joints, segment.positions[-1].tolist(), strict=True))
    assert len(held) == 2
    clear = planner('nicol').plan_clear(Snapshot(containers=CONTAINERS), joints, held)
    assert [segment.name for segment in clear.segments].count('carry') == 2


def test_at_home_there_is_nothing_to_clear() -> None:
    assert planner('nicol').plan_home(Snapshot(), PROFILES['nicol'].home).segments == ()
