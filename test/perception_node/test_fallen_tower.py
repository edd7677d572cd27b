"""A tower is struck in the physics and seen by the camera: only what is on the pad is said to be on the tower."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from lucca_core.protocol.snapshots import Pose, Snapshot
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene, SceneContainer, load_scene
from perception_node.camera import Intrinsics
from perception_node.config import PerceptionConfig
from perception_node.pipeline import Frame, Pipeline, make_pipeline

PROFILE = load_profile('nicol')
CUBES = ('red cube', 'green cube', 'blue cube', 'yellow cube')
EDGE_M = 0.012
"""So near to the edge of the pad a thing may be said to be on it or beside it."""


def built() -> tuple[Scene, SceneContainer]:
    scene = load_scene('tower', 0)
    pad = scene.container_named('tower')
    assert pad is not None
    x, y, top = pad.position_world_m[0], pad.position_world_m[1], pad.position_world_m[2] + pad.size_m[2]
    placed = {}
    for name in CUBES:
        item = scene.object_named(name)
        assert item is not None
        placed[name] = replace(item, pose=Pose((x, y, top + item.size_m[2] / 2)))
        top += item.size_m[2]
    return replace(scene, objects=tuple(placed.get(item.name, item) for item in scene.objects)), pad


@pytest.fixture
def seen_tower() -> Iterator[SimpleNamespace]:
    scene, pad = built()
    table = PhysicsTable(scene, PROFILE)
    info = table.camera_info
    cx, cy = info.centre_px
    intrinsics = Intrinsics(width=info.width, height=info.height, fx=info.focal_px, fy=info.focal_px, cx=cx, cy=cy)
    pipeline = make_pipeline(PerceptionConfig(), intrinsics, profile=PROFILE)
    yield SimpleNamespace(table=table, pad=pad, pipeline=pipeline)
    table.close()


def watch(table: PhysicsTable, pipeline: Pipeline, until_s: float, since_s: float) -> Snapshot:
    """What is seen at last by a camera that gives four pictures a second."""
    for stamp_s in np.arange(since_s + 0.25, until_s + 1e-6, 0.25):
        table.step(float(stamp_s))
        rgb, depth_m = table.render()
        frame = Frame(stamp_s=float(stamp_s), rgb=rgb, depth_m=depth_m, joint_positions=table.joint_positions())
        snapshot = pipeline.process(frame)
    return snapshot


@pytest.mark.parametrize(
    ('struck', 'axis', 'speed_mps'),
    [(2, 0, -1.5), (3, 1, 1.0), (1, 1, -2.5), (0, 1, 3.0)],
    ids=['third to the robot', 'top aside', 'second from between', 'lowest from below'],
)
def test_of_a_tower_that_was_struck_only_what_is_on_the_pad_is_said_to_be_there(
    seen_tower: SimpleNamespace, struck: int, axis: int, speed_mps: float
) -> None:
    """What leans on a fallen cube may hide it; then nothing is said of it, and surely not that it is on the tower."""
    table, pad, pipeline = seen_tower.table, seen_tower.pad, seen_tower.pipeline
    before = watch(table, pipeline, 2.0, 0.0)
    tower = before.container_named('tower')
    assert tower is not None
    assert tower.contents == CUBES
    table.data.qvel[table.model.jnt_dofadr[table.model.joint(CUBES[struck]).id] + axis] = speed_mps
    after = watch(table, pipeline, 7.0, 2.0)
    tower = after.container_named('tower')
    assert tower is not None
    fallen = []
    for name in CUBES:
        outside = np.abs(table.data.body(name).xpos[:2] - pad.position_world_m[:2]) - np.array(pad.size_m[:2]) / 2
        item = after.object_named(name)
        if max(outside) < -EDGE_M:
            assert item is not None, name
            assert (item.container, name in tower.contents) == ('tower', True), name
        elif max(outside) > EDGE_M:
            assert name not in tower.contents, name
            assert item is None or item.container == 'table', name
            fallen += [item] if item is not None and item.visible else []
    assert fallen
    for item in fallen:
        then = before.object_named(item.name)
        assert then is not None
        assert then.object_id == item.object_id
