"""The executor with the real planner and robot on a simulated table without dynamics, in simulated time."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from fakes import FakeRecorder

from action_node.body import ProfileBody
from action_node.cancel_latch import CancelLatch
from action_node.config import ActionConfig
from action_node.executor import ActionExecutor
from action_node.gate.gate import Gate
from action_node.interfaces import ActionComponents, Planner
from action_node.motion.arm_reach import ArmReach
from action_node.motion.planner import MotionPlanner
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_memory.procedural import load_actions
from lucca_robot.profile import load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import load_scene
from lucca_sim.trajectory_controller import Trajectory

PROFILE = load_profile()
ACTIONS = load_actions()
REACH = ArmReach(PROFILE)
FRAME_S = 0.1


class Killed(BaseException):
    """The node died here."""


class World:
    """Arms and perception over the table. What is where is read from the simulation, which only a test may do."""

    def __init__(self) -> None:
        self.table = KinematicTable(load_scene('sorting', 1), PROFILE)
        self.at: list[tuple[float, Callable[[], None]]] = []
        self.deaf = False

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        if not self.deaf:
            self.table.command(controller, Trajectory(joints, path.times_s, path.positions, path.velocities, start_s))

    def joints(self) -> JointSample:
        return JointSample(self.table.time_s, self.table.joint_positions())

    def silence_s(self, sample: JointSample) -> float:
        return self.table.time_s - sample.stamp_s

    def now_s(self) -> float:
        return self.table.time_s

    def driver_fault(self) -> str:
        return ''

    def report_expected(self, controller: str) -> bool:
        return False

    def report_stalled(self, controller: str) -> bool:
        return False

    def forget_faults(self) -> None:
        pass

    def wait_until(self, time_s: float, interrupted: Callable[[], bool]) -> None:
        while self.table.time_s < time_s - 0.01 and not interrupted():
            self.table.step(self.table.time_s + 0.02)
            due = [item for item in self.at if item[0] <= self.table.time_s]
            self.at = [item for item in self.at if item not in due]
            for _, happen in due:
                happen()

    def latest(self) -> Snapshot:
        states, scene = self.table.object_states(), self.table.scene
        objects = []
        for number, item in enumerate(scene.objects):
            x, y, z = map(float, states.positions_m[number])
            place = USERS_SIDE if x > 0.66 else TABLE
            for box in scene.containers:
                if math.dist((x, y), box.position_world_m[:2]) < min(box.size_m[:2]) / 2:
                    place = box.name
            qw, qx, qy, qz = map(float, states.orientations_wxyz[number])
            objects.append(
                TableObject(
                    object_id=f'o{number}',
                    name=item.name,
                    label=item.label,
                    pose_world=Pose((x, y, z), (qx, qy, qz, qw)),
                    size_m=item.size_m,
                    container=HAND if states.held_by[number] else place,
                )
            )
        containers = tuple(
            Container(
                name=box.name,
                position_world_m=box.position_world_m,
                size_m=box.size_m,
                contents=tuple(item.name for item in objects if item.container == box.name),
            )
            for box in scene.containers
        )
        users_side = Container(
            name=USERS_SIDE,
            position_world_m=(0.82, 0.0, PROFILE.table_top_m),
            size_m=(0.32, 1.94, 0.001),
            contents=tuple(item.name for item in objects if item.container == USERS_SIDE),
        )
        containers = (*containers, users_side)
        return Snapshot(stamp_s=self.table.time_s, objects=tuple(objects), containers=containers)

    def wait_newer_than(self, stamp_s: float, timeout_s: float, interrupted: Callable[[], bool]) -> Snapshot:
        self.wait_until(max(stamp_s, self.table.time_s) + FRAME_S, lambda: False)
        return self.latest()


class Robot:
    def __init__(self, planner: Planner) -> None:
        self.world = World()
        self.recorder = FakeRecorder()
        self.planner = planner
        self.body = ProfileBody(PROFILE)
        self.restart()

    def restart(self) -> None:
        self.executor = ActionExecutor(
            ActionComponents(
                gate=Gate(ACTIONS, REACH),
                body=self.body,
                arms=self.world,
                planner=lambda: self.planner,
                perception=self.world,
                recorder=self.recorder,
                config=ActionConfig(),
            )
        )

    def do(self, text: str, latch: CancelLatch | None = None, settle: int = 0) -> ActionResult:
        request = ActionRequest(
            text=text,
            task='sorting',
            allowed_actions=tuple(ACTIONS),
            snapshot=self.world.latest(),
            settle_intent_id=settle,
        )
        return self.executor.execute(request, latch or CancelLatch(), lambda *_: None)

    def when_held(self, name: str, happen: Callable[[], None]) -> None:
        """Once an object has been held for a second, so that it is being carried."""

        def look() -> None:
            if self.place(name) == HAND:
                self.world.at.append((self.world.now_s() + 2.0, happen))
            else:
                self.world.at.append((self.world.now_s() + 0.1, look))

        look()

    def place(self, name: str) -> str:
        item = self.world.latest().object_named(name)
        assert item is not None
        return item.container

    def position(self, name: str) -> tuple[float, float, float]:
        item = self.world.latest().object_named(name)
        assert item is not None
        return item.pose_world.position_m

    @property
    def rests(self) -> bool:
        joints = self.world.table.joint_positions()
        return not self.body.away_from_home(joints, 0.1) and not self.body.closed_hands(joints)


@pytest.fixture(scope='module')
def planner() -> MotionPlanner:
    return MotionPlanner(PROFILE)


@pytest.fixture
def robot(planner: MotionPlanner) -> Robot:
    return Robot(planner)


def test_pointing_picking_and_giving_come_about(robot: Robot) -> None:
    for text in ('<point(banana)>', '<move_to_box_1(apple)>', '<give(pear)>'):
        result = robot.do(text)
        assert result.code is ReasonCode.DONE, result.message
        assert robot.rests
    assert (robot.place('apple'), robot.place('pear')) == ('box 1', USERS_SIDE)


@pytest.mark.parametrize(
    ('text', 'moved', 'place'),
    [
        ('<give(apple)>', 'apple', (2.0, 0.0)),
        ('<move_to_box_1(apple)>', 'apple', (-1.2, 0.0)),
        ('<move_to_box_1(apple)>', 'box 1', (2.0, 0.0)),
    ],
)
def test_what_stands_out_of_reach_is_refused_before_an_intent_and_without_a_plan(
    robot: Robot, monkeypatch: pytest.MonkeyPatch, text: str, moved: str, place: tuple[float, float]
) -> None:
    see = robot.world.latest

    def latest() -> Snapshot:
        seen = see()
        return replace(
            seen,
            objects=tuple(
                replace(item, pose_world=Pose((*place, PROFILE.table_top_m))) if item.name == moved else item
                for item in seen.objects
            ),
            containers=tuple(
                replace(box, position_world_m=(*place, PROFILE.table_top_m)) if box.name == moved else box
                for box in seen.containers
            ),
        )

    robot.world.latest = latest  # type: ignore[method-assign]
    sent: list[str] = []
    monkeypatch.setattr(robot.world, 'send', lambda controller, *_: sent.append(controller))
    monkeypatch.setattr(robot.planner, 'plan', None)
    result = robot.do(text)
    assert (result.code, result.attempts, result.intent_id) == (ReasonCode.UNREACHABLE, 0, 0)
    assert f'{moved} at ({place[0]:.2f}, {place[1]:.2f}) m is beyond the reach of every arm' in result.message
    assert [entry.kind for entry in robot.recorder.entries] == ['outcome']
    assert sent == []


def test_a_cancel_while_carrying_puts_the_object_back_where_it_was(robot: Robot) -> None:
    before, latch = robot.position('apple'), CancelLatch()
    robot.when_held('apple', latch.set)
    result = robot.do('<move_to_box_1(apple)>', latch)
    assert result.code is ReasonCode.CANCELLED, result.message
    assert robot.rests
    assert robot.place('apple') == TABLE
    assert math.dist(robot.position('apple')[:2], before[:2]) < 0.02


def test_a_stop_while_carrying_keeps_the_grip_and_a_reset_puts_it_down(robot: Robot) -> None:
    robot.when_held('apple', robot.executor.stop)
    assert robot.do('<move_to_box_1(apple)>').code is ReasonCode.STOPPED
    robot.world.wait_until(robot.world.now_s() + 2.0, lambda: False)
    assert robot.place('apple') == HAND
    done, message = robot.executor.reset()
    assert done, message
    assert robot.rests
    assert robot.place('apple') == TABLE


def test_a_node_that_died_while_carrying_is_followed_by_one_that_finishes(robot: Robot) -> None:
    def die() -> None:
        robot.world.deaf = True
        raise Killed

    robot.when_held('apple', die)
    with pytest.raises(Killed):
        robot.do('<move_to_box_1(apple)>')
    robot.world.deaf = False
    robot.world.wait_until(robot.world.now_s() + 2.0, lambda: False)
    assert robot.place('apple') == HAND
    robot.restart()
    assert robot.do('<move_to_box_1(apple)>', settle=1).code is ReasonCode.EFFECT_NOT_SEEN
    result = robot.do('<move_to_box_1(apple)>')
    assert result.code is ReasonCode.DONE, result.message
    assert robot.place('apple') == 'box 1'
    assert robot.rests
