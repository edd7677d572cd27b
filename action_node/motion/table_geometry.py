"""Geometry of a snapshot: its obstacles as solids, and free places on the table and in containers."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

from action_node.motion.collision import Solid
from action_node.motion.config import MotionConfig
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Container, Snapshot, TableObject

# A camera cannot tell a cylinder from an upright box of the same extent. With this factor, the cylinder nearly contains
# the box.
_ROUND_MARGIN = 1.15
_SQUARE_M = 0.012
_FLAT_M = 0.012
# What lies in a container may have moved by so much since it was seen.
_APART_M = 0.01
# The wall of a bowl, seen from above, leans inwards: at the depth of the fingers, it reaches in to this share of the
# radius.
_INNER_SHARE = 0.7
_RING = 12
_TABLE_THICKNESS_M = 0.04
_SPOT_STEP_M = 0.03
_SPOTS_APART_M = 0.07


def solids_of(snapshot: Snapshot, table_top_m: float) -> list[Solid]:
    """All containers, and all objects that are not in a hand, as solids from the table up."""
    # A bowl on the table is both a container and an object, but it must be an obstacle only once.
    others = {USERS_SIDE, HAND, *(item.name for item in snapshot.objects if snapshot.as_container(item) is not None)}
    solids = [container_solid(item, table_top_m) for item in snapshot.containers if item.name not in others]
    for item in snapshot.objects:
        if item.container in (TABLE, USERS_SIDE) or (item.container != HAND and not item.inferred):
            solids.append(object_solid(item, table_top_m, hollow=snapshot.as_container(item) is not None))
    return solids


def table_solid(config: MotionConfig, table_top_m: float) -> Solid:
    """The table top as a solid, for planners that do not know it."""
    (x_low, x_high), (y_low, y_high) = config.table_x_m, config.table_y_m
    centre = ((x_low + x_high) / 2, (y_low + y_high) / 2, table_top_m - _TABLE_THICKNESS_M / 2)
    return Solid(TABLE, centre, (x_high - x_low, y_high - y_low, _TABLE_THICKNESS_M))


def object_solid(item: TableObject, table_top_m: float, *, hollow: bool = False) -> Solid:
    """The upright solid around an object. An object on the table reaches down to it, whatever height was perceived.

    `hollow`: the object holds things, like a bowl.
    """
    x, y, z = item.pose_world.position_m
    width, depth, height = (max(extent, 0.01) for extent in item.size_m)
    if item.container == TABLE:
        z = table_top_m + height / 2
    is_round = abs(width - depth) < _SQUARE_M
    yaw = 0.0 if is_round else yaw_of(item.pose_world.orientation_xyzw)
    if is_round:
        width = depth = max(width, depth) * _ROUND_MARGIN
    return Solid(item.object_id, (x, y, z), (width, depth, height), is_round, yaw, hollow)


def walls_of(solid: Solid) -> tuple[Solid, ...]:
    """The wall of a round hollow solid as a ring of boxes with its name, which leaves the inside free.

    The ring is as thick as the wall of a bowl that leans inwards.
    """
    outer_m = half_extent(solid, 0.0)
    inner_m = _INNER_SHARE * outer_m
    middle_m, width_m = (outer_m + inner_m) / 2, 2 * outer_m * math.tan(math.pi / _RING)
    x, y, z = solid.centre_m
    return tuple(
        Solid(
            solid.name,
            (x + middle_m * math.cos(angle), y + middle_m * math.sin(angle), z),
            (outer_m - inner_m, width_m, solid.size_m[2]),
            yaw_rad=angle,
        )
        for angle in (2 * math.pi * index / _RING for index in range(_RING))
    )


def widened_m(solid: Solid) -> float:
    """How much wider on each side a solid is than what was perceived, in m."""
    return solid.size_m[0] / 2 - half_extent(solid, 0.0) if solid.round else 0.0


def container_solid(item: Container, table_top_m: float) -> Solid:
    """A container as a full solid from the table to its top."""
    x, y, _ = item.position_world_m
    width, depth, height = (max(extent, 0.002) for extent in item.size_m)
    is_round = abs(width - depth) < _SQUARE_M and height > _FLAT_M
    return Solid(item.name, (x, y, table_top_m + height / 2), (width, depth, height), is_round)


def users_side_x_m(snapshot: Snapshot) -> float | None:
    """World x where the user's side begins, in m, according to perception; None if the snapshot has no user's side."""
    side = snapshot.container_named(USERS_SIDE)
    return None if side is None else side.position_world_m[0] - side.size_m[0] / 2


def yaw_of(orientation_xyzw: tuple[float, float, float, float]) -> float:
    """Turn about the vertical of an orientation, in rad."""
    x, y, z, w = orientation_xyzw
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def half_extent(solid: Solid, heading_rad: float) -> float:
    """How far a solid reaches from its centre along a horizontal direction, in m."""
    if solid.round:
        return solid.size_m[0] / 2 / _ROUND_MARGIN
    turn = heading_rad - solid.yaw_rad
    return abs(math.cos(turn)) * solid.size_m[0] / 2 + abs(math.sin(turn)) * solid.size_m[1] / 2


def radius(solid: Solid) -> float:
    """Radius, in m, of the circle that contains the solid at any turn about the vertical."""
    x, y, _ = solid.size_m
    return x / 2 if solid.round else math.hypot(x, y) / 2


def within(solids: Iterable[Solid], of: Solid, apart_m: float, names: Collection[str]) -> tuple[str, ...]:
    """Those of `names` whose solids come within `apart_m` of the circle around `of`, in the plane."""
    place = (of.centre_m[0], of.centre_m[1])
    return tuple(s.name for s in solids if s.name in names and _gap_to_line(s, place, place) < apart_m + radius(of))


def gap_to_point(solid: Solid, point_m: tuple[float, float, float]) -> float:
    """Distance of a point from a solid in m; 0 inside."""
    x, y, z = point_m
    half = solid.size_m[2] / 2
    above = max(0.0, abs(z - solid.centre_m[2]) - half)
    return math.hypot(_gap_to_line(solid, (x, y), (x, y)), above)


def highest_near(
    solids: Sequence[Solid], start: tuple[float, float], end: tuple[float, float], width_m: float, floor_m: float
) -> float:
    """World z of the highest solid within `width_m` of the straight line between two points; at least `floor_m`."""
    tops = [solid.top_m for solid in solids if _gap_to_line(solid, start, end) < width_m]
    return max([floor_m, *tops])


def spots_in(container: Container, contents: Sequence[TableObject], item_radius_m: float) -> list[tuple[float, float]]:
    """Places over the opening of a container, the best one first.

    The best place overlaps the contents least, and in a box leaves the most room for what comes later.
    """
    x, y, _ = container.position_world_m
    room_x = max(0.0, container.size_m[0] / 2 - item_radius_m - 0.015)
    room_y = max(0.0, container.size_m[1] / 2 - item_radius_m - 0.015)
    taken = [(item.pose_world.position_m[:2], max(item.size_m[:2]) / 2) for item in contents]
    is_round = abs(container.size_m[0] - container.size_m[1]) < _SQUARE_M
    if is_round:
        # The container may be a bowl, with sloping sides.
        room_x, room_y = min(room_x, 0.03), min(room_y, 0.03)
    places = dict.fromkeys((x + i * room_x / 2, y + j * room_y / 2) for i in range(-2, 3) for j in range(-2, 3))
    corners = [(x + i * container.size_m[0] / 2, y + j * container.size_m[1] / 2) for i in (-1, 1) for j in (-1, 1)]

    def overlap_m(place: tuple[float, float]) -> float:
        return sum(max(0.0, item_radius_m + radius_m + _APART_M - math.dist(place, other)) for other, radius_m in taken)

    def crowding(place: tuple[float, float]) -> float:
        nearness = sum(1.0 / (0.01 + math.dist(place, other)) for other, _ in taken)
        return nearness * 0.1 + math.dist(place, (x, y))

    def room_left_m(place: tuple[float, float]) -> float:
        others = [other for other, _ in taken]
        return max(min(math.dist(corner, other) for other in (place, *others)) for corner in corners)

    def rank(place: tuple[float, float]) -> tuple[float, float, float]:
        left_m = 0.0 if is_round else room_left_m(place)
        return round(overlap_m(place), 3), -round(left_m, 3), crowding(place)

    return sorted(places, key=rank)


def free_spots(
    solids: Sequence[Solid],
    config: MotionConfig,
    item_radius_m: float,
    near: tuple[float, float],
    *,
    x_m: tuple[float, float],
    y_m: tuple[float, float],
) -> Iterator[tuple[float, float]]:
    """Places in a rectangle of the table where an object is clear of all solids, the nearest to `near` first."""
    places = [
        (x_m[0] + i * _SPOT_STEP_M, y_m[0] + j * _SPOT_STEP_M)
        for i in range(int((x_m[1] - x_m[0]) / _SPOT_STEP_M) + 1)
        for j in range(int((y_m[1] - y_m[0]) / _SPOT_STEP_M) + 1)
    ]
    for place in sorted(places, key=lambda p: math.dist(p, near)):
        if all(_gap_to_line(solid, place, place) >= item_radius_m + config.spot_spacing_m for solid in solids):
            yield place


def spread(spots: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Places that are far enough from earlier ones: if one cannot be reached, its neighbours cannot either."""
    taken: list[tuple[float, float]] = []
    for spot in spots:
        if all(math.dist(spot, other) >= _SPOTS_APART_M for other in taken):
            taken.append(spot)
            yield spot


def _gap_to_line(solid: Solid, start: tuple[float, float], end: tuple[float, float]) -> float:
    """Distance from a solid's outline (circle or box) to the straight line between two points; 0 if they meet."""
    steps = max(1, int(math.dist(start, end) / 0.02))
    gaps = []
    for index in range(steps + 1):
        part = index / steps
        x = start[0] + part * (end[0] - start[0]) - solid.centre_m[0]
        y = start[1] + part * (end[1] - start[1]) - solid.centre_m[1]
        if solid.round:
            gaps.append(max(0.0, math.hypot(x, y) - solid.size_m[0] / 2))
            continue
        cosine, sine = math.cos(solid.yaw_rad), math.sin(solid.yaw_rad)
        along, across = cosine * x + sine * y, -sine * x + cosine * y
        dx, dy = max(0.0, abs(along) - solid.size_m[0] / 2), max(0.0, abs(across) - solid.size_m[1] / 2)
        gaps.append(math.hypot(dx, dy))
    return min(gaps)
