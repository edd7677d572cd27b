"""A tower is struck in the physics and seen by the camera: only what is on the pad is said to be on the tower."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from lucca_core.values import Pose, Snapshot
from lucca_robot.profile import load_profile
from lucca_sim.mujoco import PhysicsTable
from lucca_sim.scene import Scene, SceneContainer, load_scene
from perception_node.config import PerceptionConfig
from perception_node.pipeline import Frame, Intrinsics, Pipeline, make_pipeline

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


@pytest.mark.parametrize(('struck', 'speed_mps'), [(2, 1.5), (3, 1.0)], ids=['third', 'top'])
def test_of_a_tower_that_was_struck_only_what_stands_on_the_pad_is_said_to_be_there(
    seen_tower: SimpleNamespace, struck: int, speed_mps: float
) -> None:
    table, pad, pipeline = seen_tower.table, seen_tower.pad, seen_tower.pipeline
    before = watch(table, pipeline, 2.0, 0.0)
    tower = before.container_named('tower')
    assert tower is not None
    assert tower.contents == CUBES
    table.data.qvel[table.model.jnt_dofadr[table.model.joint(CUBES[struck]).id] + 1] = speed_mps
    after = watch(table, pipeline, 7.0, 2.0)
    tower = after.container_named('tower')
    assert tower is not None
    fallen = []
    for name in CUBES:
        outside = np.abs(table.data.body(name).xpos[:2] - pad.position_world_m[:2]) - np.array(pad.size_m[:2]) / 2
        item = after.object_named(name)
        assert item is not None, f'{name} is not seen any more'
        if max(outside) > EDGE_M:
            fallen.append(name)
            assert (item.container, name in tower.contents) == ('table', False), name
            assert item.visible, name
        elif max(outside) < -EDGE_M:
            assert (item.container, name in tower.contents) == ('tower', True), name
    assert fallen
    ids = {name: (before.object_named(name), after.object_named(name)) for name in CUBES}
    assert all(then and now and then.object_id == now.object_id for then, now in ids.values())
