"""The elements of a scene: areas, the table top, objects, containers and regions."""

import math
from dataclasses import dataclass

from lucca_core.protocol.snapshots import Pose

_NOWHERE = Pose((0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangle:
    """An area of the table, as ranges along world x and y in m."""

    x_m: tuple[float, float]
    y_m: tuple[float, float]

    def contains(self, x: float, y: float) -> bool:
        """True for points inside or on the edge."""
        return self.x_m[0] <= x <= self.x_m[1] and self.y_m[0] <= y <= self.y_m[1]

    def distance_m(self, x: float, y: float) -> float:
        """Distance from a point to the rectangle; 0 inside."""
        dx = max(self.x_m[0] - x, 0.0, x - self.x_m[1])
        dy = max(self.y_m[0] - y, 0.0, y - self.y_m[1])
        return math.hypot(dx, dy)

    def overlaps(self, other: 'Rectangle') -> bool:
        """True if the two share more than an edge."""
        return (
            self.x_m[0] < other.x_m[1]
            and other.x_m[0] < self.x_m[1]
            and self.y_m[0] < other.y_m[1]
            and other.y_m[0] < self.y_m[1]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTop(Rectangle):
    """The table's surface; `height_m` is its world z."""

    height_m: float
    rgb: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneObject:
    """A movable object. `size_m` is its extent along its own axes; `pose` is its centre's world pose at the start."""

    name: str
    label: str
    colour: str
    shape: str
    size_m: tuple[float, float, float]
    rgb: tuple[float, float, float]
    mass_kg: float
    pose: Pose = _NOWHERE

    @property
    def footprint_radius_m(self) -> float:
        """Radius of the circle on the table that contains the object at any yaw."""
        sx, sy, _ = self.size_m
        return (max(sx, sy) if self.shape not in ('box', 'open_box') else math.hypot(sx, sy)) / 2

    @property
    def core_radius_m(self) -> float:
        """Radius of the circle on the table that the object fills at any yaw."""
        return min(self.size_m[:2]) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneContainer:
    """A container, fixed to the table.

    `size_m` is its outer extent, `position_world_m` the centre of its footprint on the table's surface.
    """

    name: str
    shape: str
    size_m: tuple[float, float, float]
    wall_m: float
    rgb: tuple[float, float, float]
    position_world_m: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def outline(self) -> Rectangle:
        """The footprint, walls included."""
        x, y, _ = self.position_world_m
        sx, sy, _ = self.size_m
        return Rectangle(x_m=(x - sx / 2, x + sx / 2), y_m=(y - sy / 2, y + sy / 2))

    def overlaps(self, other: 'SceneContainer') -> bool:
        """True if the two footprints share more than an edge; bowls and cups are discs."""
        if self._is_round and other._is_round:
            gap = math.dist(self.position_world_m[:2], other.position_world_m[:2])
            return gap < self._radius_m + other._radius_m
        if self._is_round or other._is_round:
            disc, area = (self, other) if self._is_round else (other, self)
            return area.outline.distance_m(*disc.position_world_m[:2]) < disc._radius_m
        return self.outline.overlaps(other.outline)

    @property
    def _is_round(self) -> bool:
        return self.shape not in ('open_box', 'pad')

    @property
    def _radius_m(self) -> float:
        return max(self.size_m[:2]) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A named area of the table, without any visible or solid mark."""

    name: str
    area: Rectangle


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Areas for random placement, the spacing between objects and the clearance from containers."""

    areas: tuple[Rectangle, ...]
    spacing_m: float
    clearance_m: float
