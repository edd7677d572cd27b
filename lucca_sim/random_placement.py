"""Random placement of objects on the table: rejection sampling with spacing, deterministic for a seed."""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from lucca_core.protocol.snapshots import Pose
from lucca_sim.scene_elements import Placement, SceneContainer, SceneObject, TableTop

_DARTS = 60
_RESTARTS = 400


def place_objects(
    objects: Sequence[SceneObject],
    containers: Sequence[SceneContainer],
    table: TableTop,
    placement: Placement,
    seed: int,
    fixed: Sequence[SceneObject] = (),
) -> tuple[SceneObject, ...]:
    """Gives each object a random place in the areas and a random yaw, at a distance from other objects and containers.

    Raises:
        ValueError: no arrangement was found, because there are too many objects for the areas.
    """
    rng = np.random.default_rng(seed)
    areas = [(area, (area.x_m[1] - area.x_m[0]) * (area.y_m[1] - area.y_m[0])) for area in placement.areas]
    share = np.array([size for _, size in areas]) / sum(size for _, size in areas)
    held = [(item.pose.position_m[0], item.pose.position_m[1], item.footprint_radius_m) for item in fixed]
    for _ in range(_RESTARTS):
        spots: list[tuple[float, float]] = []
        for item in objects:
            for _ in range(_DARTS):
                area = areas[int(rng.choice(len(areas), p=share))][0]
                x, y = float(rng.uniform(*area.x_m)), float(rng.uniform(*area.y_m))
                near = held + [(*spot, objects[index].footprint_radius_m) for index, spot in enumerate(spots)]
                if _is_free(x, y, item.footprint_radius_m, near, containers, placement):
                    spots.append((x, y))
                    break
            else:
                break
        if len(spots) == len(objects):
            yaws = rng.uniform(-math.pi, math.pi, len(objects))
            return tuple(
                standing(item, *spot, float(yaw), table) for item, spot, yaw in zip(objects, spots, yaws, strict=True)
            )
    raise ValueError(
        f'{len(objects)} objects do not fit with {placement.spacing_m:g} m between them '
        f'and {placement.clearance_m:g} m from containers; name fewer'
    )


def standing(item: SceneObject, x: float, y: float, yaw: float, table: TableTop) -> SceneObject:
    """Places an object at rest on the table, turned about z by `yaw` rad."""
    position = (x, y, table.height_m + item.size_m[2] / 2)
    return dataclasses.replace(item, pose=Pose(position, (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))))


# Least gap between two outlines, whatever the size of the objects: the thickness of a finger on each side.
_FINGERS_M = 0.02


def _is_free(
    x: float,
    y: float,
    radius: float,
    near: Sequence[tuple[float, float, float]],
    containers: Sequence[SceneContainer],
    placement: Placement,
) -> bool:
    for other_x, other_y, other_radius in near:
        if math.hypot(x - other_x, y - other_y) < max(placement.spacing_m, radius + other_radius + _FINGERS_M):
            return False
    return all(
        container.outline.distance_m(x, y) >= max(placement.clearance_m, radius + _FINGERS_M)
        for container in containers
    )
