"""Honest traces: motions of the real planner carried out in physics and recorded."""

from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_lab.runs.drawn import DrawnRun, Job, plain_run
from lucca_lab.runs.recorded import record_run
from lucca_robot.profile import load_profile


def record(task: str, seed: int, folder: Path, jobs: tuple[Job, ...] = ()) -> Path:
    """Does a task on the table of a seed and returns its trace; `jobs` instead of all that the task asks for."""
    run = DrawnRun(scene=task, seed=seed, tasks=(task,), jobs=jobs) if jobs else plain_run(task, seed)
    return record_run(run, MotionPlanner(load_profile()), folder).trace
