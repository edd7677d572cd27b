"""Perceived objects and containers, and snapshots of all of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

TABLE = 'table'
"""The place of an object that is in no container."""

_SAME_PLACE_M = 0.03

HAND = 'hand'
USERS_SIDE = "user's side"


@dataclass(frozen=True, slots=True)
class Pose:
    """A position in m and an orientation as unit quaternion x, y, z, w. The owner of the pose names its frame."""

    position_m: tuple[float, float, float]
    orientation_xyzw: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableObject:
    """One object as perceived. `object_id` is stable over time; `name` is unique within one snapshot."""

    object_id: str
    name: str
    label: str
    attributes: tuple[str, ...] = ()
    score: float = 1.0
    box_px: tuple[int, int, int, int] = (0, 0, 0, 0)
    pose_world: Pose = Pose((0.0, 0.0, 0.0))
    size_m: tuple[float, float, float] = (0.05, 0.05, 0.05)
    container: str = TABLE
    visible: bool = True
    inferred: bool = False
    last_seen_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container or place as perceived.

    `position_world_m` is the centre of its footprint on the table. `size_m` is its outer extent along the world axes,
    with z the height of its top above the table.
    """

    name: str
    position_world_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    size_m: tuple[float, float, float] = (0.1, 0.1, 0.1)
    visible: bool = True
    contents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What was perceived in one frame. It never changes, so a decision refers to a fixed set of objects."""

    stamp_s: float = 0.0
    frame_id: str = 'world'
    objects: tuple[TableObject, ...] = ()
    containers: tuple[Container, ...] = ()
    vocabulary: tuple[str, ...] = ()
    processing_s: float = 0.0
    _by_name: dict[str, TableObject] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {item.name: item for item in self.objects}
        if len(by_name) != len(self.objects):
            names = [item.name for item in self.objects]
            raise ValueError(f'names in a snapshot must be unique, got {names}')
        object.__setattr__(self, '_by_name', by_name)

    def __iter__(self) -> Iterator[TableObject]:
        return iter(self.objects)

    def object_named(self, name: str) -> TableObject | None:
        """The object with exactly this name, or None."""
        return self._by_name.get(name)

    def object_with_id(self, object_id: str) -> TableObject | None:
        """The object with this stable id, or None."""
        return next((item for item in self.objects if item.object_id == object_id), None)

    def container_named(self, name: str) -> Container | None:
        """The container with exactly this name, or None."""
        return next((item for item in self.containers if item.name == name), None)

    def as_container(self, item: TableObject) -> Container | None:
        """The container that an object on the table itself is, such as a bowl; None if only the name is the same."""
        found = self.container_named(item.name)
        if found is None or item.container != TABLE:
            return None
        apart_m = math.dist(found.position_world_m[:2], item.pose_world.position_m[:2])
        return found if apart_m < _SAME_PLACE_M else None

    def on_table(self) -> tuple[TableObject, ...]:
        """The objects that are in no container."""
        return tuple(item for item in self.objects if item.container == TABLE)
