"""The containers on the table, remembered from frame to frame, and the test of which one a point is in."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from lucca_core.protocol.snapshots import TABLE, USERS_SIDE, Container, TableObject
from perception_node.camera import Doubles
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.lexicon import PrototypeLexicon

_FLOOR_M = 0.006
_SHRUNK = 0.93
_GRID = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A container on the table: footprint along the world axes, kind `open` or `pad`, height above the table."""

    name: str
    kind: str
    centre_xy: tuple[float, float]
    size_xy: tuple[float, float]
    height_m: float
    visible: bool = True
    label: str = ''
    """Of an object that holds things; empty for a container of the table."""

    def holds(self, x: float, y: float) -> bool:
        """True for a point over the footprint."""
        return abs(x - self.centre_xy[0]) <= self.size_xy[0] / 2 and abs(y - self.centre_xy[1]) <= self.size_xy[1] / 2

    def spots(self, table_z: float, size_m: Doubles) -> Doubles:
        """Centres (n, 3), on a grid, at which an object of this size could lie inside."""
        radius = float(min(size_m[0], size_m[1])) / 2
        half_x, half_y = (max(side / 2 - radius, 0.0) for side in self.size_xy)
        xs = self.centre_xy[0] + np.linspace(-half_x, half_x, _GRID)
        ys = self.centre_xy[1] + np.linspace(-half_y, half_y, _GRID)
        grid_x, grid_y = np.meshgrid(xs, ys)
        z = np.full(grid_x.size, table_z + _FLOOR_M + size_m[2] / 2)
        return np.stack((grid_x.ravel(), grid_y.ravel(), z), axis=1)


class Places:
    """The containers seen so far. While an arm hides part of one, it stays where it was last seen whole."""

    def __init__(self, lexicon: PrototypeLexicon, config: PerceptionConfig) -> None:
        self._lexicon = lexicon
        self._config = config
        self._known: dict[str, Place] = {}
        self._standing: dict[str, Place] = {}

    def update(self, detections: Iterable[Detection]) -> None:
        """Updates the containers with the detections of one frame."""
        seen = {item.label: item for item in detections if item.is_container}
        for name, place in list(self._known.items()):
            if name not in seen:
                self._known[name] = dataclasses.replace(place, visible=False)
        for name, item in seen.items():
            prototype = self._lexicon.container_of(name)
            known = self._known.get(name)
            size_xy = item.size_m[:2]
            if known is not None and (
                item.partial or min(now / then for now, then in zip(size_xy, known.size_xy, strict=True)) < _SHRUNK
            ):
                self._known[name] = dataclasses.replace(known, visible=True)
                continue
            self._known[name] = Place(
                name=name,
                kind=prototype.kind if prototype is not None else 'open',
                centre_xy=item.pose_world.position_m[:2],
                size_xy=size_xy,
                height_m=item.size_m[2],
            )

    def follow(self, objects: Iterable[TableObject]) -> None:
        """Treats objects that can hold things, such as a bowl, as containers while they stand on the table."""
        self._standing = {
            item.name: Place(
                name=item.name,
                kind='open',
                centre_xy=item.pose_world.position_m[:2],
                size_xy=(max(item.size_m[:2]),) * 2,
                height_m=item.size_m[2],
                visible=item.visible,
                label=item.label,
            )
            for item in objects
            if item.container == TABLE and self._lexicon.holds(item.label) and item.name not in self._known
        }

    @property
    def known(self) -> Mapping[str, Place]:
        """All containers by name."""
        return {**self._standing, **self._known}

    def holder(self, x: float, y: float, of: str = '') -> Place | None:
        """The container over whose footprint a point lies, for an object of a label.

        What holds things itself is only in larger things of another kind: a cup in a bowl, but no bowl in a bowl.
        """
        size_m = self._lexicon.usual_length_m(of) if self._lexicon.holds(of) else 0.0
        standing = (place for place in self._standing.values() if place.label != of and max(place.size_xy) > size_m)
        return next((place for place in (*self._known.values(), *standing) if place.holds(x, y)), None)

    def name_at(self, x: float, y: float, of: str = '') -> str:
        """The name of what an object of a label, centred at a point, is in or on: a container, a region or `table`."""
        place = self.holder(x, y, of)
        if place is not None:
            return place.name
        return USERS_SIDE if x >= self._config.users_side_x_m else TABLE

    def messages(
        self, contents: Mapping[str, tuple[str, ...]], tower_top_m: Mapping[str, float]
    ) -> tuple[Container, ...]:
        """The containers of a snapshot, the user's side last. `tower_top_m`: height of each stack on a pad."""
        result = []
        for name, place in sorted(self.known.items()):
            height = max(place.height_m, tower_top_m.get(name, 0.0)) if place.kind == 'pad' else place.height_m
            result.append(
                Container(
                    name=name,
                    position_world_m=(*place.centre_xy, self._config.table_z_m),
                    size_m=(*place.size_xy, height),
                    visible=place.visible,
                    contents=contents.get(name, ()),
                )
            )
        near, far = self._config.users_side_x_m, self._config.table_x_m[1]
        right, left = self._config.table_y_m
        result.append(
            Container(
                name=USERS_SIDE,
                position_world_m=((near + far) / 2, (right + left) / 2, self._config.table_z_m),
                size_m=(far - near, left - right, 0.001),
                contents=contents.get(USERS_SIDE, ()),
            )
        )
        return tuple(result)
