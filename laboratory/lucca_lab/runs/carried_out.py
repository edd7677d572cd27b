"""Execution of planned motions on the physical table, without ROS; perception is read from the simulator."""

from collections.abc import Callable

import numpy as np

from action_node.motion.motion_plan import MotionPlan, MotionRequest, MotionSegment
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Snapshot, TableObject
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene
from lucca_sim.trace_recorder import TraceRecorder
from lucca_sim.trajectory_controller import Trajectory

POINT = 'point'
"""The place of a job that only points at its object."""

_RESTS_S = 0.5


def seen(scene: Scene, table: PhysicsTable) -> Snapshot:
    """The table as a perfect perception would see it. Objects that fell off it are left out."""
    states = table.object_states()
    top_m = scene.table.height_m
    objects = []
    for index, item in enumerate(scene.objects):
        x, y, z = (float(value) for value in states.positions_m[index])
        if z < top_m - 0.1:
            continue
        container = USERS_SIDE if x > 0.66 else 'table'
        for candidate in scene.containers:
            if candidate.outline.contains(x, y):
                container = candidate.name
        turn = states.orientations_wxyz[index]
        objects.append(
            TableObject(
                object_id=item.name,
                name=item.name,
                label=item.label,
                pose_world=type(item.pose)((x, y, z), (float(turn[1]), float(turn[2]), float(turn[3]), float(turn[0]))),
                size_m=item.size_m,
                container=container,
            )
        )
    side = Container(name=USERS_SIDE, position_world_m=(0.82, 0.0, top_m), size_m=(0.32, 1.94, 0.001))
    containers = [side]
    for candidate in scene.containers:
        width, depth, height = candidate.size_m
        if candidate.name == 'tower':
            inside = [o for o in objects if o.container == 'tower']
            height = max([height, *(o.pose_world.position_m[2] + o.size_m[2] / 2 - top_m for o in inside)])
        containers.append(
            Container(name=candidate.name, position_world_m=candidate.position_world_m, size_m=(width, depth, height))
        )
    return Snapshot(objects=tuple(objects), containers=tuple(containers))


def request_for(target: str, place: str) -> MotionRequest:
    """The request to the planner that brings an object to a place: a container, the user's side, or `POINT`."""
    if place == POINT:
        return MotionRequest('point', target)
    return MotionRequest('give' if place == USERS_SIDE else 'pick_and_place', target, place)


Sight = Callable[[Scene, PhysicsTable], Snapshot]
"""A function that gives a snapshot of a table, as `seen` does."""

Watch = Callable[[], None]
"""A function called after each row of the trace."""


class Carrier:
    """Sends the segments of plans to a table. A recorder, if there is one, records the table meanwhile."""

    def __init__(self, table: PhysicsTable, recorder: TraceRecorder | None = None, watch: Watch = lambda: None) -> None:
        self.table = table
        self._recorder = recorder
        self._watch = watch

    def carry_out(self, plan: MotionPlan, *, until: float | None = None) -> None:
        """Sends each segment when the one before has ended, and waits until everything is at rest.

        `until` is a share of the plan's time, from 0 to 1, after which nothing more is sent: the sender has died, and
        the robot stops where it is.
        """
        left_s = float('inf') if until is None else until * plan.duration_s
        for segment in plan.segments:
            if left_s <= 0:
                break
            self.send(_beginning(segment, left_s))
            left_s -= segment.duration_s
        self.advance(_RESTS_S)

    def send(self, segment: MotionSegment) -> None:
        """Sends a segment and waits for its end."""
        start = self.table.time_s + 0.02
        path = Trajectory(segment.joints, segment.times_s, segment.positions, segment.velocities, start)
        self.table.command(segment.controller, path)
        self.advance(start + segment.duration_s + 0.05 - self.table.time_s)

    def move_hand(self, side: str, positions: tuple[float, ...], seconds: float = 0.4) -> None:
        """Opens or closes a hand where it is, by a command that was not planned."""
        hand = self.table.profile.arms[side].hand
        now = self.table.joint_positions()
        here = np.array([[now[joint] for joint in hand.joints], positions])
        times = np.array([0.0, seconds])
        self.send(MotionSegment('hand', hand.controller, hand.joints, times, here, np.zeros_like(here)))

    def advance(self, seconds: float) -> None:
        """Simulates for some time and records meanwhile."""
        until_s = self.table.time_s + seconds
        while self._recorder is not None and self._recorder.next_s < until_s:
            self.table.step(self._recorder.next_s)
            self._recorder.sample()
            self._watch()
        self.table.step(until_s)

    def held(self) -> dict[str, str]:
        """The objects in the hands, by side."""
        names = self.table.scene.object_names
        sides = self.table.object_states().held_by
        return {side: name for name, side in zip(names, sides, strict=True) if side}


def _beginning(segment: MotionSegment, seconds: float) -> MotionSegment:
    """The points of a segment within its first `seconds`, but at least two. The motion stops at the last of them."""
    if segment.duration_s <= seconds:
        return segment
    count = max(2, int(np.searchsorted(segment.times_s, seconds)))
    velocities = segment.velocities[:count].copy()
    velocities[-1] = 0.0
    return MotionSegment(
        segment.name,
        segment.controller,
        segment.joints,
        segment.times_s[:count],
        segment.positions[:count],
        velocities,
    )
