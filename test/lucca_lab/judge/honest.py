"""Honest traces: motions of the real planner carried out in physics and recorded."""

from pathlib import Path

from action_node.motion.planner import MotionPlanner
from lucca_lab.runs.drawn import DrawnRun, Job, plain_run
from lucca_lab.runs.recorded import Recorded, record_run
from lucca_robot.profile import load_profile


def carry_out(task: str, seed: int, folder: Path, jobs: tuple[Job, ...] = ()) -> Recorded:
    """Does a task on the table of a seed; `jobs` instead of all that the task asks for."""
    run = DrawnRun(scene=task, seed=seed, tasks=(task,), jobs=jobs) if jobs else plain_run(task, seed)
    return record_run(run, MotionPlanner(load_profile()), folder)


def record(task: str, seed: int, folder: Path, jobs: tuple[Job, ...] = ()) -> Path:
    """The trace of `carry_out`."""
    return carry_out(task, seed, folder, jobs).trace
