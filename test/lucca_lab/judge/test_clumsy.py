"""Honest physics that looks strange is not blamed: hard falls, things that lie across a wall, fingers that are bent."""

from dataclasses import replace

import pytest

from lucca_core.protocol.snapshots import Pose
from lucca_lab.judge.traces import load_trace
from lucca_lab.judge.verdict import law_faults
from lucca_lab.runs.carried_out import Carrier
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene, load_scene
from lucca_sim.trace_recorder import TRACE_FILE, TraceRecorder

pytestmark = pytest.mark.physics


def lifted(scene: Scene, name: str, place_m: tuple[float, float, float]) -> Scene:
    """The scene with one object lifted above a place relative to its own."""
    objects = []
    for item in scene.objects:
        x, y, z = item.pose.position_m
        dx, dy, dz = place_m
        pose = Pose((x + dx, y + dy, z + dz), item.pose.orientation_xyzw)
        objects.append(replace(item, pose=pose) if item.name == name else item)
    return replace(scene, objects=tuple(objects))


@pytest.mark.parametrize('name', ['lemon', 'orange', 'can'])
@pytest.mark.parametrize('height_m', [0.05, 0.4, 0.9])
def test_a_fall_onto_the_table_is_not_blamed(name, height_m, tmp_path):
    scene = lifted(load_scene('arrangement', 3), name, (0.0, 0.0, height_m))
    table = PhysicsTable(scene, load_profile())
    recorder = TraceRecorder(table, tmp_path, engine='physics')
    Carrier(table, recorder).advance(4.0)
    recorder.finish()
    assert list(map(str, law_faults(load_trace(tmp_path / TRACE_FILE), scene))) == []
