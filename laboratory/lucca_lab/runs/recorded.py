"""Execution and recording of drawn runs: the traces of honest simulations."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import Pose
from lucca_lab.runs.camera_video import VIDEO_FILE, CameraVideo
from lucca_lab.runs.carried_out import POINT, Carrier, Sight, Watch, request_for, seen
from lucca_lab.runs.drawn import DrawnRun, Job, Trouble
from lucca_robot.profile import RobotProfile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene, load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder

_SETTLES_S = 0.5
_STILL_S, _MOVED_M, _MOST_WAITED_S = 1.5, 0.004, 15.0
"""At the end, it waits until no object has moved by more than this for so long, at most so long."""
_DEAD_S = 1.0
"""The time for which nobody commands the robot after the sender died."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded run. `given_up` has the jobs for which no motion was found, `job_starts_s` the start of each job."""

    trace: Path
    given_up: tuple[Job, ...]
    job_starts_s: tuple[float, ...]


def record_run(
    run: DrawnRun,
    planner: MotionPlanner,
    folder: Path,
    *,
    video: bool = False,
    scene: Scene | None = None,
    sight: Sight = seen,
) -> Recorded:
    """Carries out a run in physics and writes its trace, and with `video` the camera's pictures, into a folder.

    `scene` replaces the scene of the run; `sight` tells the planner where objects are.
    """
    scene = _without(scene or load_scene(run.scene, run.seed), run.taken_away)
    table = PhysicsTable(scene, planner.profile)
    recorder = TraceRecorder(table, folder, engine='physics')
    camera = CameraVideo(table, folder / VIDEO_FILE) if video else None
    try:
        watch = camera.look if camera else None
        return RunOnTable(scene, planner, table, recorder, watch, sight).carry_out(run, folder)
    finally:
        if camera is not None:
            camera.close()


def _without(scene: Scene, names: Collection[str]) -> Scene:
    """The scene with some of its objects put on the floor, outside the camera's picture."""
    objects = []
    for number, item in enumerate(scene.objects):
        place = Pose((2.0, 0.3 * number, item.size_m[2] / 2))
        objects.append(replace(item, pose=place) if item.name in names else item)
    return replace(scene, objects=tuple(objects))


class RunOnTable:
    """One table on which one run is carried out."""

    def __init__(
        self,
        scene: Scene,
        planner: MotionPlanner,
        table: PhysicsTable,
        recorder: TraceRecorder,
        watch: Watch | None,
        sight: Sight,
    ) -> None:
        self._scene = scene
        self._planner = planner
        self._table = table
        self._recorder = recorder
        self._carrier = Carrier(table, recorder, watch or (lambda: None))
        self._sight = sight
        self._given_up: list[Job] = []

    @property
    def profile(self) -> RobotProfile:
        """The profile of the robot."""
        return self._planner.profile

    def carry_out(self, run: DrawnRun, folder: Path) -> Recorded:
        """Does all jobs in order, with the trouble of the run, and then waits until everything is at rest."""
        self._carrier.advance(_SETTLES_S)
        starts = []
        for number, job in enumerate(run.jobs):
            starts.append(self._table.time_s)
            if number != run.at_job or run.trouble in (Trouble.NONE, Trouble.INTERRUPTED):
                self._do(job)
            elif run.trouble is Trouble.KILLED:
                self._killed(job, run.after)
            else:
                self._dropped(job, run.after)
        self._wait_until_still()
        self._recorder.finish()
        return Recorded(folder / TRACE_FILE, tuple(self._given_up), tuple(starts))

    def _wait_until_still(self) -> None:
        end_s, moved_s, places_m = self._table.time_s + _MOST_WAITED_S, self._table.time_s, self._places_m()
        while self._table.time_s < min(end_s, moved_s + _STILL_S):
            self._carrier.advance(0.1)
            now_m = self._places_m()
            if any(math.dist(now_m[name], place_m) > _MOVED_M for name, place_m in places_m.items() if name in now_m):
                moved_s, places_m = self._table.time_s, now_m

    def _places_m(self) -> dict[str, tuple[float, float, float]]:
        return {item.object_id: item.pose_world.position_m for item in seen(self._scene, self._table)}

    def _do(self, job: Job, until: float | None = None) -> None:
        try:
            snapshot = self._sight(self._scene, self._table)
            plan = self._planner.plan(request_for(*job), snapshot, self._table.joint_positions())
        except MotionError:
            self._given_up.append(job)
            return
        self._carrier.carry_out(plan, until=until)

    def _killed(self, job: Job, after: float) -> None:
        """Stops sending in the middle of a job, as if the sender died; then clears the arms and finishes the job."""
        self._do(job, until=after)
        self._carrier.advance(_DEAD_S)
        self._clear()
        if not self._is_done(job):
            self._do(job)

    def _dropped(self, job: Job, after: float) -> None:
        """Opens the hand on the way, so that the object falls; then clears the arms and finishes the job."""
        self._do(job, until=after)
        for side in self._carrier.held():
            self._carrier.move_hand(side, self.profile.arms[side].hand.open)
        self._clear()
        if not self._is_done(job):
            self._do(job)

    def _clear(self) -> None:
        """Brings both arms home. If no motion leads there, the hands open, so that nothing is held in the end."""
        try:
            snapshot = self._sight(self._scene, self._table)
            plan = self._planner.plan_clear(snapshot, self._table.joint_positions(), self._carrier.held())
            self._carrier.carry_out(plan)
        except MotionError:
            for side in self._carrier.held():
                self._carrier.move_hand(side, self.profile.arms[side].hand.open)

    def _is_done(self, job: Job) -> bool:
        target, place = job
        item = seen(self._scene, self._table).object_with_id(target)
        return place != POINT and item is not None and item.container == place
