"""Attack on object identities in rendered pictures: towers fall and objects are taken away."""

import dataclasses
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lucca_core.protocol.snapshots import Pose
from lucca_lab.attack.attack import Attack, Counts, Trial
from lucca_lab.attack.identity_truth import TrueThing, Witness
from lucca_lab.attack.towers import with_tower
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.random_placement import standing
from lucca_sim.scene import Scene, load_scene
from perception_node.camera import Intrinsics
from perception_node.config import PerceptionConfig
from perception_node.pipeline import Frame, make_pipeline

_FRAME_S, _SETTLES_S = 0.1, 1.0
_FRAMES_BEFORE, _FRAMES_FALLING, _FRAMES_AFTER = 6, 20, 8
_STRUCK_MPS = (0.8, 2.0)
_MOST_REMOVED = 2
_MOVED_M = 0.005
_AWAY = (3.0, 0.0, 0.5)


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    profile = load_profile('nicol')

    def trial(chance: random.Random) -> Counts:
        scene, cubes = with_tower(load_scene('sorting_tower', chance.randrange(2**31)), chance)
        seen = _Seen(PhysicsTable(_with_apple_in_box(scene, chance), profile))
        try:
            seen.look(_FRAMES_BEFORE)
            seen.strike(chance.choice(cubes), chance.uniform(-math.pi, math.pi), chance.uniform(*_STRUCK_MPS))
            seen.look(_FRAMES_FALLING)
            for _ in range(chance.randint(0, _MOST_REMOVED)):
                seen.remove(chance.choice([item.name for item in scene.objects]))
                seen.look(_FRAMES_AFTER)
        finally:
            seen.table.close()
        return {'frames': seen.witness.frames, 'sightings': seen.witness.sightings, 'fell': seen.fallen(cubes)}

    yield trial


class _Seen:
    """A table in physics, with all of perception in front of it and a witness that knows the truth."""

    def __init__(self, table: PhysicsTable) -> None:
        self.table = table
        self.witness = Witness()
        self._story: list[str] = []
        self._end_s = _SETTLES_S
        table.step(_SETTLES_S)
        self._start = table.object_states().positions_m
        info = table.camera_info
        cx, cy = info.centre_px
        lens = Intrinsics(width=info.width, height=info.height, fx=info.focal_px, fy=info.focal_px, cx=cx, cy=cy)
        self._pipeline = make_pipeline(PerceptionConfig(), lens, profile=table.profile)

    def look(self, frames: int) -> None:
        """Simulates and checks some frames."""
        for _ in range(frames):
            self._end_s += _FRAME_S
            self.table.step(self._end_s)
            rgb, depth_m = self.table.render()
            frame = Frame(
                stamp_s=self.table.time_s, rgb=rgb, depth_m=depth_m, joint_positions=self.table.joint_positions()
            )
            self.witness.look(self._truth(), self._pipeline.process(frame).objects, self._story)

    def strike(self, name: str, direction_rad: float, speed_mps: float) -> None:
        """Gives an object a sideways velocity, as if something hit it."""
        dof = self.table.model.jnt_dofadr[self.table.model.joint(name).id]
        self.table.data.qvel[dof : dof + 2] = speed_mps * math.cos(direction_rad), speed_mps * math.sin(direction_rad)
        self._story.append(f'{name} struck with {speed_mps:.2f} m/s towards {direction_rad:.2f} rad')

    def remove(self, name: str) -> None:
        """Takes an object away between two frames."""
        address = self.table.model.jnt_qposadr[self.table.model.joint(name).id]
        self.table.data.qpos[address : address + 3] = _AWAY
        self._story.append(f'{name} taken away')

    def fallen(self, cubes: tuple[str, ...]) -> int:
        """1 if the tower no longer stands, otherwise 0."""
        states, names = self.table.object_states().positions_m, self.table.scene.object_names
        rows = [names.index(name) for name in cubes]
        return int(float(np.linalg.norm(states[rows] - self._start[rows], axis=1).max()) > 0.02)

    def _truth(self) -> dict[str, TrueThing]:
        scene, positions = self.table.scene, self.table.object_states().positions_m
        truth = {}
        for name, at, before in zip(scene.object_names, positions, self._start, strict=True):
            x, y, z = (float(value) for value in at)
            boxes = tuple(
                item.name
                for item in scene.containers
                if item.shape != 'pad'
                and all(abs(at[axis] - item.position_world_m[axis]) < item.size_m[axis] / 2 for axis in (0, 1))
            )
            untouched = float(np.linalg.norm(at - before)) < _MOVED_M
            truth[name] = TrueThing(name, (x, y, z), untouched, boxes)
        return truth


def _with_apple_in_box(scene: Scene, chance: random.Random) -> Scene:
    box, apple = scene.container_named('box 1'), scene.object_named('apple')
    assert box is not None
    assert apple is not None
    room = min(box.size_m[:2]) / 2 * 0.7 - apple.footprint_radius_m
    x, y = (box.position_world_m[axis] + chance.uniform(-room, room) for axis in (0, 1))
    put = standing(apple, x, y, 0.0, scene.table)
    px, py, pz = put.pose.position_m
    inside = dataclasses.replace(put, pose=Pose((px, py, pz + box.wall_m), put.pose.orientation_xyzw))
    return dataclasses.replace(scene, objects=tuple(inside if item.name == 'apple' else item for item in scene.objects))


PART = Attack(
    name='rendered-falls',
    promise='In rendered pictures, no identity passes to an object of another colour or shape when a tower falls.',
    open=_open,
    sample=1,
    count=20,
)
