"""A table, a body, a planner and a memory that are exact, small and without physics: what tests put in the real ones'
place.

The robot of this table has one arm of one joint: its position is a place along the table. Objects and containers stand
at places. A closing hand takes the object at its place, an opening hand lets it go there.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from action_node.motion.motion_plan import MotionPlan, MotionRequest, MotionSegment
from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from action_node.stop.valve import HOLD_S
from lucca_core.codes import ReasonCode
from lucca_core.errors import MemoryFault, MotionError
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_memory.procedural import ActionSpec
from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.profile import JointTravel

ARM = 'left'
ARM_JOINT = 'slide'
HAND_JOINT = 'grip'
ARM_CONTROLLER = 'left_arm_controller'
HAND_CONTROLLER = 'left_hand_controller'
HOME = -1.0
NEAR = 0.05
STEP_S = 0.01
"""Of the table's time."""

Array = NDArray[np.float64]


class FakeBody:
    """The one-jointed robot."""

    arms: tuple[str, ...] = (ARM,)
    arm_controllers: Mapping[str, tuple[str, ...]] = {ARM_CONTROLLER: (ARM_JOINT,)}
    controllers: Mapping[str, tuple[str, ...]] = {ARM_CONTROLLER: (ARM_JOINT,), HAND_CONTROLLER: (HAND_JOINT,)}
    interfaces: Mapping[str, ControllerInterface] = {}
    max_efforts: Mapping[str, float] = {}
    hand_travels: Mapping[str, JointTravel] = {HAND_JOINT: JointTravel(0.0, 1.0)}
    driven_speeds: Mapping[str, float] = {}
    accelerations: Mapping[str, float] = {}
    endless: frozenset[str] = frozenset()
    limits: Mapping[str, tuple[float, float]] = {ARM_JOINT: (-10.0, 10.0), HAND_JOINT: (0.0, 1.0)}

    def away_from_home(self, joints: Mapping[str, float], tolerance_rad: float) -> tuple[str, ...]:
        """The arm, if it is away."""
        return (ARM,) if abs(joints[ARM_JOINT] - HOME) > tolerance_rad else ()

    def closed_hands(self, joints: Mapping[str, float]) -> tuple[str, ...]:
        """The arm, if its hand is closed."""
        return (ARM,) if joints.get(HAND_JOINT, 1.0) > 0.5 else ()

    def pointing_ray(self, arm: str, joints: Mapping[str, float]) -> tuple[Array, Array]:
        """Straight down from where the arm is."""
        return np.array([joints[ARM_JOINT], 0.0, 1.2]), np.array([0.0, 0.0, -1.0])


def straight(
    name: str, controller: str, joint: str, begin: float, end: float, duration_s: float = 1.0
) -> MotionSegment:
    """A smooth motion of one joint from rest to rest."""
    times = np.linspace(0.0, duration_s, max(3, int(duration_s / 0.05) + 1))
    u = times / duration_s
    positions = begin + (end - begin) * (3 * u**2 - 2 * u**3)
    velocities = (end - begin) * (6 * u - 6 * u**2) / duration_s
    return MotionSegment(name, controller, (joint,), times, positions[:, None], velocities[:, None])


class FakePlanner:
    """Plans for the one-jointed robot. `speed` shortens every motion; `opened` and `closed` are places of the grip."""

    def __init__(self, *, speed: float = 1.0, opened: float = 0.0, closed: float = 1.0) -> None:
        self.speed = speed
        self.opened, self.closed = opened, closed
        self.requests: list[MotionRequest] = []
        self.cleared: list[Mapping[str, str]] = []
        self.unreachable: set[str] = set()

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        """There, close, over, open, home; or there, stay, home."""
        self.requests.append(request)
        target = snapshot.object_with_id(request.object_id)
        if target is None or target.object_id in self.unreachable:
            raise MotionError(ReasonCode.UNREACHABLE, f'no arm reaches {request.object_id}')
        there = target.pose_world.position_m[0]
        here = joint_positions[ARM_JOINT]
        if request.kind == 'point':
            return MotionPlan(
                ARM,
                (self._arm('reach', here, there), self._arm('stay', there, there), self._arm('home', there, HOME)),
            )
        over = place_of(request.container, snapshot)
        return MotionPlan(
            ARM,
            (
                self._arm('reach', here, there),
                self._hand('close', self.opened, self.closed),
                self._arm('carry', there, over),
                self._hand('open', self.closed, self.opened),
                self._arm('home', over, HOME),
            ),
            grasp=Pose((there, 0.0, 0.8)),
            grasps_at=1,
            releases_at=3,
        )

    def plan_clear(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], held: Mapping[str, str]
    ) -> MotionPlan:
        """Open, where the arm is, and go home."""
        self.cleared.append(dict(held))
        here, grip = joint_positions[ARM_JOINT], joint_positions[HAND_JOINT]
        return MotionPlan(ARM, (self._hand('open', grip, self.opened), self._arm('home', here, HOME)))

    def _arm(self, name: str, begin: float, end: float) -> MotionSegment:
        return straight(name, ARM_CONTROLLER, ARM_JOINT, begin, end, 1.0 / self.speed)

    def _hand(self, name: str, begin: float, end: float) -> MotionSegment:
        return straight(name, HAND_CONTROLLER, HAND_JOINT, begin, end, 0.5 / self.speed)


class FakeReach:
    """Finds out of reach what it is told: reasons by object id."""

    def __init__(self, reasons: Mapping[str, str] | None = None) -> None:
        self.reasons = dict(reasons or {})

    def out_of_reach(self, spec: ActionSpec, target: TableObject, snapshot: Snapshot) -> str:
        """The reason given for the object."""
        return self.reasons.get(target.object_id, '')


def place_of(container: str, snapshot: Snapshot) -> float:
    """Where a container stands."""
    if container == USERS_SIDE:
        return 5.0
    found = snapshot.container_named(container)
    if found is None:
        raise MotionError(ReasonCode.UNREACHABLE, f'{container!r} is not there')
    return found.position_world_m[0]


@dataclass
class FakeTable:
    """Objects at places, one arm, and time that passes only when somebody waits.

    It is the arms (`valve.Arms`) and the perception (`interfaces.Perception`) at once. `at` holds what happens when.
    """

    objects: dict[str, TableObject] = field(default_factory=dict)
    containers: dict[str, float] = field(default_factory=lambda: {'box 1': 2.0, 'box 2': 3.0, 'bowl': 4.0})
    time_s: float = 100.0
    frame_s: float = 0.1
    positions: dict[str, float] = field(default_factory=lambda: {ARM_JOINT: HOME, HAND_JOINT: 0.0})
    at: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    sent: list[tuple[str, float, JointPath]] = field(default_factory=list)
    misses: int = 0
    blind: bool = False
    silent: bool = False
    stuck: bool = False
    fault: str = ''
    late: dict[float, float] = field(default_factory=dict)
    trace: list[tuple[float, float, float]] = field(default_factory=list)
    _paths: dict[str, tuple[float, JointPath, float]] = field(default_factory=dict)
    _held: str = ''
    _sample: JointSample | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def put(self, name: str, place: float, *, label: str = '') -> TableObject:
        """Puts an object on the table."""
        item = TableObject(object_id=f'id {name}', name=name, label=label or name, pose_world=Pose((place, 0.0, 0.8)))
        self.objects[item.object_id] = item
        return item

    # --- runner.Arms ---

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        """Takes a trajectory; from now on the joint follows it, from where it is."""
        with self._lock:
            self.sent.append((controller, start_s, path))
            (joint,) = joints
            self._paths[joint] = (start_s or self.time_s, path, self.positions[joint])

    def joints(self) -> JointSample | None:
        """Where the joints are."""
        with self._lock:
            return self._sample or JointSample(self.time_s, dict(self.positions))

    def silence_s(self, sample: JointSample) -> float:
        """Time since the sample, on the only clock there is."""
        return self.now_s() - sample.stamp_s

    def now_s(self) -> float:
        """The table's time."""
        with self._lock:
            return self.time_s

    def driver_fault(self) -> str:
        """What a test has a driver say."""
        return self.fault

    def report_expected(self, controller: str) -> bool:
        """Never: these drivers report nothing."""
        return False

    def report_stalled(self, controller: str) -> bool:
        """Never, likewise."""
        return False

    def forget_faults(self) -> None:
        """As after a reset."""
        self.fault = ''

    def wait_until(self, time_s: float, interrupted: Callable[[], bool]) -> None:
        """Time passes, in small steps."""
        for begin_s, delay_s in list(self.late.items()):
            if self.time_s >= begin_s:
                del self.late[begin_s]
                time_s += delay_s
        began_s = self.time_s
        while began_s <= self.time_s < time_s and not interrupted():
            self.advance(min(self.time_s + STEP_S, time_s))

    def advance(self, time_s: float) -> None:
        """Moves everything on to this time."""
        with self._lock:
            self.time_s = time_s
            was_closed = self.positions[HAND_JOINT] > 0.5
            if not self.stuck:
                for joint, (start_s, path, begin) in self._paths.items():
                    self.positions[joint] = _followed(path, time_s - start_s, begin)
            self._grasp(was_closed)
            if not self.silent:
                self._sample = JointSample(time_s, dict(self.positions))
            self.trace.append((time_s, self.positions[ARM_JOINT], self.positions[HAND_JOINT]))
            due = [item for item in self.at if item[0] <= time_s]
            self.at = [item for item in self.at if item[0] > time_s]
        for number, (_, happen) in enumerate(due, 1):
            try:
                happen()
            except BaseException:
                # Also where a test kills the node: what happens around it happens all the same.
                self.at += due[number:]
                raise

    # --- interfaces.Perception ---

    def latest(self) -> Snapshot | None:
        """The last frame."""
        with self._lock:
            return None if self.blind else self.snapshot()

    def wait_newer_than(self, stamp_s: float, timeout_s: float, interrupted: Callable[[], bool]) -> Snapshot | None:
        """Time passes until a frame is newer."""
        end_s = self.time_s + timeout_s
        while self.time_s < end_s and not interrupted():
            self.advance(self.time_s + 0.01)
            frame = self.latest()
            if frame is not None and frame.stamp_s > stamp_s:
                return frame
        return None

    def snapshot(self) -> Snapshot:
        """All that is on the table, exactly. Stamps are multiples of `frame_s`."""
        with self._lock:
            return Snapshot(
                stamp_s=self.frame_s * int(self.time_s / self.frame_s + 1e-6),
                objects=tuple(self.objects.values()),
                containers=tuple(
                    Container(
                        name=name,
                        position_world_m=(place, 0.0, 0.8),
                        contents=tuple(item.name for item in self.objects.values() if item.container == name),
                    )
                    for name, place in self.containers.items()
                ),
            )

    def _grasp(self, was_closed: bool) -> None:
        closed, here = self.positions[HAND_JOINT] > 0.5, self.positions[ARM_JOINT]
        if closed and not was_closed:
            near = [
                item
                for item in self.objects.values()
                if item.container == TABLE and abs(item.pose_world.position_m[0] - here) < NEAR
            ]
            if near and self.misses > 0:
                self.misses -= 1
            elif near:
                self._held = near[0].object_id
        if self._held:
            place = HAND if closed else self._place_at(here)
            self.objects[self._held] = replace(
                self.objects[self._held], pose_world=Pose((here, 0.0, 0.8)), container=place
            )
            if not closed:
                self._held = ''

    def _place_at(self, here: float) -> str:
        if here > 4.5:
            return USERS_SIDE
        return next((name for name, place in self.containers.items() if abs(place - here) < NEAR), TABLE)


def _followed(path: JointPath, time_s: float, begin: float) -> float:
    first_s = float(path.times_s[0])
    if time_s >= first_s or first_s == 0.0:
        return float(path.at(max(time_s, 0.0))[0][0]) if time_s >= 0 else begin
    share = max(0.0, time_s) / first_s
    return begin + share * (float(path.positions[0][0]) - begin)


@dataclass
class FakeRecorder:
    """A memory that keeps entries in a list. `broken` makes it answer nothing; `failures` so many times only."""

    entries: list[EntryRequest] = field(default_factory=list)
    broken: bool = False
    failures: int = 0
    recorded: Callable[[EntryRequest], None] = lambda entry: None

    def record(self, entry: EntryRequest, timeout_s: float) -> int:
        """The number of the entry."""
        if self.broken or self.failures > 0:
            self.failures -= 1
            raise MemoryFault('the memory does not answer')
        self.entries.append(entry)
        self.recorded(entry)
        return len(self.entries)


def is_hold(path: JointPath) -> bool:
    return len(path.times_s) == 1 and path.times_s[0] >= HOLD_S and not path.velocities.any()
