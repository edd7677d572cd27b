"""Honest traces: motions of the real planner carried out in physics and recorded."""

from pathlib import Path

from carried_out import record_run

from action_node.motion.planner import MotionPlanner
from lucca_core.protocol.snapshots import USERS_SIDE
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder

JOBS = {
    'sorting': {'apple': 'box 1', 'banana': 'box 1', 'pear': 'box 1', 'cup': 'box 2', 'bowl': 'box 2'},
    'tower': {f'{colour} cube': 'tower' for colour in ('red', 'green', 'blue', 'yellow')},
    'arrangement': dict.fromkeys(('apple', 'banana', 'lemon', 'orange', 'pear'), 'bowl'),
    'recipe': dict.fromkeys(('bowl', 'jello', 'banana'), USERS_SIDE),
    'pointing': dict.fromkeys(('banana', 'lemon', 'apple', 'can'), 'point'),
}
"""What each task asks for, by the name of its scene."""


def record(task: str, seed: int, folder: Path, jobs: dict[str, str] | None = None) -> Path:
    """Does a task on the table of a seed and returns its trace; `jobs` instead of all that the task asks for."""
    profile, scene = load_profile(), load_scene(task, seed)
    table = PhysicsTable(scene, profile)
    recorder = TraceRecorder(table, folder, engine='physics')
    record_run(scene, MotionPlanner(profile), jobs or JOBS[task], recorder, table)
    return folder / TRACE_FILE
