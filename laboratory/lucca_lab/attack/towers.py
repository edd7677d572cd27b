"""Attack on the simulated table: a tower must stand untouched for an hour."""

import dataclasses
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lucca_core.protocol.snapshots import Pose
from lucca_lab.attack.attack import Attack, Broken, Noted, Trial
from lucca_robot.profile import load_profile
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene, load_scene

_SETTLES_S, _IDLES_S = 1.0, 3600.0
_MOST_MM = 2.0

_BUILT: tuple[tuple[tuple[float, float, float], ...], ...] = (
    ((0.5, -0.2, -142.1), (2.1, 0.5, 73.1), (-3.3, -1.0, -107.1), (-0.2, -1.8, -141.2)),
    ((0.8, 0.1, -80.3), (-0.3, 1.0, 81.0), (-2.1, -0.8, 14.7), (0.0, -0.9, 166.3)),
    ((2.5, 0.1, 115.0), (0.1, 0.4, -97.6), (-2.5, -1.2, 66.8), (2.4, -0.4, 60.5)),
    ((-0.3, -0.6, -2.0), (-0.5, 0.8, -0.8), (4.4, -0.1, 168.2), (-2.7, 1.4, 7.5)),
    ((0.8, 0.7, 19.8), (0.2, -0.6, -158.7), (-0.3, -0.3, -85.6), (-0.9, 0.2, 63.5)),
)
"""Towers that the robot built in physics, from the bottom up: for each cube, the offset from the one below along world
x and y in mm, and the yaw in degrees."""


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    profile = load_profile('nicol')

    def trial(chance: random.Random) -> Noted:
        scene, cubes = with_tower(load_scene('sorting_tower', chance.randrange(2**31)), chance)
        table = PhysicsTable(scene, profile)
        table.step(_SETTLES_S)
        built = table.object_states().positions_m
        table.step(_IDLES_S + _SETTLES_S)
        moved_mm = 1000 * np.linalg.norm(table.object_states().positions_m - built, axis=1)
        told = ', '.join(f'{name} {moved_mm[scene.object_names.index(name)]:.4f} mm' for name in cubes)
        if not moved_mm.max() <= _MOST_MM:
            worst = scene.object_names[int(moved_mm.argmax())]
            raise Broken(f'{worst} moved by {moved_mm.max():.1f} mm; the tower from below: {told}')
        return Noted(
            {'simulated_s': round(_IDLES_S)}, f'from below {told}; of all things at most {moved_mm.max():.4f} mm'
        )

    yield trial


def with_tower(scene: Scene, chance: random.Random) -> tuple[Scene, tuple[str, ...]]:
    """The scene with four of its cubes on the tower's place, offset as in one of the towers that the robot built."""
    pad = next(item for item in scene.containers if item.shape == 'pad')
    cubes = chance.sample([item for item in scene.objects if item.label == 'cube'], 4)
    x, y, _ = pad.position_world_m
    top = pad.position_world_m[2] + pad.size_m[2]
    placed = {}
    for item, (dx_mm, dy_mm, yaw_deg) in zip(cubes, chance.choice(_BUILT), strict=True):
        x, y, half = x + dx_mm / 1000, y + dy_mm / 1000, math.radians(yaw_deg) / 2
        pose = Pose((x, y, top + item.size_m[2] / 2), (0.0, 0.0, math.sin(half), math.cos(half)))
        placed[item.name] = dataclasses.replace(item, pose=pose)
        top += item.size_m[2]
    objects = tuple(placed.get(item.name, item) for item in scene.objects)
    return dataclasses.replace(scene, objects=objects), tuple(item.name for item in cubes)


PART = Attack(
    name='tower',
    promise='A tower stands for an hour of simulated time as the robot built it, each thing on the table within 2 mm.',
    open=_open,
    sample=0,
    count=20,
)
