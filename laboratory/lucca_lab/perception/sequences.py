"""One test sequence: an arm moves objects in front of the camera, and each object should keep its identity."""

import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.motion.planner import MotionPlanner
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import TABLE, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_lab.perception.scenes import draw_conditions, draw_moving
from lucca_lab.perception.scoring import Identities
from lucca_lab.perception.view import RenderedTable, with_noise
from lucca_robot.profile import load_profile
from lucca_sim.trajectory_controller import Trajectory
from perception_node.detector import Detector
from perception_node.pipeline import make_pipeline

_SEQUENCES = 2
RATE_HZ = 5.0
BEFORE_S, AFTER_S = 1.0, 2.0
"""How long the table is observed before the arm moves, and after it is back (s)."""
_TRIES = 6
_STEP_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceResult:
    """The result of one sequence. `done` says what the arm did; `events` are the switches, as in `Identities`."""

    number: int
    done: str
    pictures: int
    object_frames: int
    switches: int
    missed: int
    events: tuple[tuple[float, str, str, str], ...]
    placed_right: bool
    cpu_s: float


@cache
def _planner() -> MotionPlanner:
    """The planner. Each process makes it only once, since this takes seconds."""
    return MotionPlanner(load_profile())


def run_sequence(seed: int, number: int, detector: Detector) -> SequenceResult:
    """An object is carried to a container, given or pointed at, while the pipeline processes every picture.

    Raises:
        LuccaError: no motion was found, or the detector cannot use a picture.
    """
    rng = np.random.default_rng((seed, _SEQUENCES, number))
    table = RenderedTable(draw_moving(rng), draw_conditions(rng))
    try:
        pipeline = make_pipeline(table.config, table.intrinsics, detector=detector)
        request, plan = _plan(table, rng)
        identities, times = Identities(), []
        snapshot = Snapshot()

        def look_until(end_s: float) -> None:
            nonlocal snapshot
            # The table advances in steps and may stop half a step before the requested time.
            while table.table.time_s < end_s - _STEP_S:
                table.table.step(min(end_s, table.table.time_s + 1.0 / RATE_HZ))
                frame = with_noise(table.frame(), rng)
                began = time.thread_time()
                snapshot = pipeline.process(frame)
                times.append(time.thread_time() - began)
                identities.add(table.truth(), snapshot)

        look_until(BEFORE_S)
        for segment in plan.segments:
            start = table.table.time_s + 0.02
            path = Trajectory(segment.joints, segment.times_s, segment.positions, segment.velocities, start)
            table.table.command(segment.controller, path)
            look_until(start + segment.duration_s + 0.05)
        look_until(table.table.time_s + AFTER_S)
    finally:
        table.close()
    label = table.table.scene.object_named(request.object_id)
    inside = [item.label for item in snapshot.objects if item.container == request.container]
    return SequenceResult(
        number=number,
        done=f'{request.kind} {request.object_id} {request.container}'.strip(),
        pictures=len(times),
        object_frames=identities.frames,
        switches=identities.switches,
        missed=identities.missed,
        events=tuple(identities.events),
        placed_right=request.kind == 'point' or (label is not None and label.label in inside),
        cpu_s=float(np.median(times)),
    )


def _plan(table: RenderedTable, rng: np.random.Generator) -> tuple[MotionRequest, MotionPlan]:
    """A random motion that the arm can do, planned on the true scene. If none is found, the arm points.

    Raises:
        MotionError: no motion was found for pointing either.
    """
    snapshot = _true_snapshot(table)
    scene = table.table.scene
    for attempt in range(_TRIES):
        item = scene.objects[int(rng.integers(len(scene.objects)))].name
        places = [container.name for container in scene.containers] or [USERS_SIDE]
        place = places[int(rng.integers(len(places)))]
        kind = rng.choice(['pick_and_place', 'pick_and_place', 'pick_and_place', 'give', 'point'])
        if kind == 'point' or attempt == _TRIES - 1:
            request = MotionRequest('point', item)
        elif kind == 'give' or place == USERS_SIDE:
            request = MotionRequest('give', item, USERS_SIDE)
        else:
            request = MotionRequest('pick_and_place', item, place)
        try:
            return request, _planner().plan(request, snapshot, table.table.joint_positions())
        except MotionError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError('unreachable')  # pragma: no cover


def _true_snapshot(table: RenderedTable) -> Snapshot:
    scene = table.table.scene
    side = next(region for region in scene.regions if region.name == USERS_SIDE)
    (near, far), (right, left) = side.area.x_m, side.area.y_m
    height = scene.table.height_m
    objects = tuple(
        TableObject(
            object_id=item.name,
            name=item.name,
            label=item.label,
            pose_world=Pose(item.pose.position_m, item.pose.orientation_xyzw),
            size_m=item.size_m,
            container=TABLE,
        )
        for item in scene.objects
    )
    containers = tuple(
        Container(name=item.name, position_world_m=item.position_world_m, size_m=item.size_m)
        for item in scene.containers
    )
    users_side = Container(
        name=USERS_SIDE,
        position_world_m=((near + far) / 2, (right + left) / 2, height),
        size_m=(far - near, left - right, 0.001),
    )
    return Snapshot(objects=objects, containers=(*containers, users_side))
