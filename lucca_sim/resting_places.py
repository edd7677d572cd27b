"""Resting places of released objects in the kinematic simulation: inside a container, or on what is below."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lucca_sim.scene import Scene
from lucca_sim.scene_elements import SceneContainer, SceneObject
from lucca_sim.shapes import THIN_WALL_M

Array = NDArray[np.float64]

_GAP_M = 0.003


class RestingPlaces:
    """Finds resting places on the table of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def place(self, index: int, position: Array, others: Mapping[int, Array]) -> Array:
        """Centre (3,) at which object `index` rests after its release at `position`; `others` are the resting centres.

        Over a box or bowl, the object goes to the nearest free spot on the floor, or to the spot with the least
        overlap. Over a pad, it goes to the middle, on top of the highest object there. Elsewhere, it goes onto the
        table or the object below.
        """
        x, y = float(position[0]), float(position[1])
        for container in self._scene.containers:
            if container.outline.contains(x, y):
                if container.shape == 'pad':
                    centre = container.position_world_m
                    return self._on_top(index, centre[0], centre[1], centre[2] + container.size_m[2], others, 0.6)
                return self._inside(index, x, y, container, others)
        for other, middle in others.items():
            bowl = _as_container(self._scene.objects[other], middle)
            if bowl is not None and bowl.outline.contains(x, y) and self._fits(index, bowl):
                rest = {key: value for key, value in others.items() if key != other}
                return self._inside(index, x, y, bowl, rest)
        return self._on_top(index, x, y, self._scene.table.height_m, others, 1.0)

    def _fits(self, index: int, container: SceneContainer) -> bool:
        radius = self._scene.objects[index].footprint_radius_m
        return radius + container.wall_m <= min(container.size_m[:2]) / 2

    def _on_top(self, index: int, x: float, y: float, floor: float, others: Mapping[int, Array], near: float) -> Array:
        item = self._scene.objects[index]
        for other, centre in others.items():
            below = self._scene.objects[other]
            reach = near * (below.footprint_radius_m + (0.0 if near < 1 else 0.5 * item.footprint_radius_m))
            if math.hypot(x - centre[0], y - centre[1]) < reach:
                floor = max(floor, float(centre[2]) + below.size_m[2] / 2)
        return np.array((x, y, floor + item.size_m[2] / 2))

    def _inside(self, index: int, x: float, y: float, container: SceneContainer, others: Mapping[int, Array]) -> Array:
        item, centre = self._scene.objects[index], container.position_world_m
        radius = item.footprint_radius_m
        share = 1.0 if container.shape == 'open_box' else 0.7
        room_x = max(0.0, share * container.size_m[0] / 2 - container.wall_m - radius)
        room_y = max(0.0, share * container.size_m[1] / 2 - container.wall_m - radius)
        inside = [
            (self._scene.objects[other], where)
            for other, where in others.items()
            if container.outline.contains(float(where[0]), float(where[1]))
        ]
        best, least = (centre[0], centre[1]), math.inf
        for spot_x in np.linspace(centre[0] - room_x, centre[0] + room_x, 15):
            for spot_y in np.linspace(centre[1] - room_y, centre[1] + room_y, 15):
                overlap = 0.0
                for other, where in inside:
                    gap = math.hypot(spot_x - where[0], spot_y - where[1])
                    overlap += max(0.0, radius + other.footprint_radius_m + _GAP_M - gap)
                cost = 100.0 * overlap + math.hypot(spot_x - x, spot_y - y)
                if cost < least:
                    best, least = (float(spot_x), float(spot_y)), cost
        floor = centre[2] + container.wall_m
        return np.array((best[0], best[1], floor + item.size_m[2] / 2))


def _as_container(item: SceneObject, centre: Array) -> SceneContainer | None:
    """The container that a bowl or open box forms for objects above it; None for other objects."""
    if item.shape not in ('bowl', 'open_box'):
        return None
    return SceneContainer(
        name=item.name,
        shape=item.shape,
        size_m=item.size_m,
        wall_m=THIN_WALL_M,
        rgb=item.rgb,
        position_world_m=(float(centre[0]), float(centre[1]), float(centre[2]) - item.size_m[2] / 2),
    )
