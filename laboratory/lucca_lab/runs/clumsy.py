"""Runs of a robot that sees badly and so hits, pushes and squeezes objects; some objects start in mid-air.

None of this is planned, and all of it is honest physics.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from action_node.motion.planner import MotionPlanner
from lucca_core.protocol.snapshots import Pose, Snapshot
from lucca_lab.runs.carried_out import Sight, seen
from lucca_lab.runs.drawn import DrawnRun, draw_run
from lucca_lab.runs.recorded import Recorded, record_run
from lucca_sim.physics_table import PhysicsTable
from lucca_sim.scene import Scene

_OFF_M = 0.03
_OVERLOOKED = 0.3
"""The largest error of seen positions along x and y, and the share of objects that are not seen at all."""

_MOST_FALLING = 4
_HEIGHT_M, _ASIDE_M = 0.12, 0.25
"""The most objects that fall at first, their largest height above what is below, and their largest shift sideways."""


@dataclass(frozen=True)
class ClumsyRun:
    """A drawn run on a table above which some objects fall at first, and how the robot sees this table."""

    run: DrawnRun
    scene: Scene
    sight: Sight


def draw_clumsy_run(chance: random.Random, load: Callable[[str, int], Scene]) -> ClumsyRun:
    """A run from `draw_run` on a table that is drawn too. `load` returns the scene for a name and a seed."""
    run = draw_run(chance)
    scene = _with_falls(load(run.scene, run.seed), chance)
    return ClumsyRun(run, scene, _bad_sight(scene, chance))


def record_clumsy_run(clumsy: ClumsyRun, planner: MotionPlanner, folder: Path) -> Recorded:
    """Carries out and records a clumsy run, as `record_run` does."""
    return record_run(clumsy.run, planner, folder, scene=clumsy.scene, sight=clumsy.sight)


def _with_falls(scene: Scene, chance: random.Random) -> Scene:
    """The scene with some objects turned at random and lifted, each above all others that may be below it."""
    objects, top_m = [], scene.table.height_m + 0.15
    falling = set(chance.sample(scene.object_names, chance.randint(0, _MOST_FALLING)))
    for item in scene.objects:
        if item.name not in falling:
            objects.append(item)
            continue
        x, y, _ = item.pose.position_m
        top_m += max(item.size_m) + chance.uniform(0.0, _HEIGHT_M)
        aside = chance.uniform(-_ASIDE_M, _ASIDE_M), chance.uniform(-_ASIDE_M, _ASIDE_M)
        turn = np.array([chance.gauss(0.0, 1.0) for _ in range(4)])
        turn /= np.linalg.norm(turn)
        place = (x + aside[0], y + aside[1], top_m - max(item.size_m) / 2)
        objects.append(replace(item, pose=Pose(place, (turn[0], turn[1], turn[2], turn[3]))))
    return replace(scene, objects=tuple(objects))


def _bad_sight(scene: Scene, chance: random.Random) -> Sight:
    off = {item.name: (chance.uniform(-_OFF_M, _OFF_M), chance.uniform(-_OFF_M, _OFF_M)) for item in scene.objects}
    overlooked = {item.name for item in scene.objects if chance.random() < _OVERLOOKED}

    def look(_: Scene, table: PhysicsTable) -> Snapshot:
        true = seen(scene, table)
        objects = []
        for item in true.objects:
            if item.name not in overlooked:
                x, y, z = item.pose_world.position_m
                dx, dy = off[item.name]
                pose = Pose((x + dx, y + dy, z), item.pose_world.orientation_xyzw)
                objects.append(replace(item, pose_world=pose))
        return replace(true, objects=tuple(objects))

    return look
