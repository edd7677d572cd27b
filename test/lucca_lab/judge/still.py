"""Made-up traces of a table on which nothing moves, to be changed one thing at a time."""

from dataclasses import replace

import numpy as np

from lucca_lab.judge.evidence import Evidence
from lucca_lab.judge.traces import SimulationTrace
from lucca_robot.profile import load_profile
from lucca_sim.scene import Scene

SAMPLES = 200


def still_trace(scene: Scene) -> SimulationTrace:
    """Four seconds at 50 Hz in which nothing moves, and no hand is near."""
    start = np.array([item.pose.position_m for item in scene.objects])
    turns = np.array([np.roll(item.pose.orientation_xyzw, 1) for item in scene.objects])
    count = len(scene.objects)
    return SimulationTrace(
        time_s=np.arange(SAMPLES) / 50.0,
        object_names=scene.object_names,
        object_positions_m=np.repeat(start[None], SAMPLES, axis=0),
        object_orientations_wxyz=np.repeat(turns[None], SAMPLES, axis=0),
        object_velocities=np.zeros((SAMPLES, count, 6)),
        joint_names=('l_joint1',),
        joint_positions_rad=np.zeros((SAMPLES, 1)),
        held_by=np.full((SAMPLES, count), '', dtype='<U5'),
        engine='kinematic',
    )


def on_ways(trace: SimulationTrace, ways_m: dict[str, np.ndarray]) -> SimulationTrace:
    """The trace with some objects at places (3,) or on ways (SAMPLES, 3)."""
    positions = trace.object_positions_m.copy()
    for name, way in ways_m.items():
        positions[:, trace.index_of(name)] = way
    return replace(trace, object_positions_m=positions)


def turned(trace: SimulationTrace, name: str, wxyz: tuple[float, float, float, float]) -> SimulationTrace:
    """The trace with an object in another orientation throughout."""
    turns = trace.object_orientations_wxyz.copy()
    turns[:, trace.index_of(name)] = np.array(wxyz) / np.linalg.norm(wxyz)
    return replace(trace, object_orientations_wxyz=turns)


def evidence_of(trace: SimulationTrace, scene: Scene) -> Evidence:
    """What the laws look at."""
    return Evidence(trace, scene, load_profile())
