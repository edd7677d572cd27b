"""Places where an object may be released: on top of a stack, over a container, or at the user's side."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from action_node.motion.collision import Solid
from action_node.motion.config import MotionConfig
from action_node.motion.motion_plan import MotionRequest
from action_node.motion.table_geometry import (
    container_solid,
    free_spots,
    object_solid,
    radius,
    spots_in,
    spread,
    users_side_x_m,
)
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.protocol.snapshots import USERS_SIDE, Container, Snapshot, TableObject

_LOW_CONTAINER_M = 0.02
_PAD_WIDTHS = 3.0
# The top of a stack is known twice: from the container, and from the highest object on it.
_SAME_HEIGHT_M = 0.004
_SPOTS_TRIED = 4


@dataclass(frozen=True, slots=True)
class ReleasePoint:
    """Where an object's centre is released (world frame, m). `low`: the object slides there just above the table."""

    centre_m: tuple[float, float, float]
    name: str
    low: bool = False


def release_points(
    request: MotionRequest,
    solid: Solid,
    snapshot: Snapshot,
    solids: Sequence[Solid],
    config: MotionConfig,
    table_top_m: float,
) -> list[ReleasePoint]:
    """Where the object of a `give` or `pick_and_place` may be released, the best place first.

    Args:
        request: the requested motion.
        solid: the object.
        snapshot: the table.
        solids: everything that stands on the table.
        config: heights and margins.
        table_top_m: world z of the table.

    Raises:
        MotionError: `unreachable`; the container or the user's side is missing, or has no free place.
    """
    if request.kind == 'give':
        others = [other for other in solids if other.name != solid.name]
        return _at_users_side(solid, others, users_side_x_m(snapshot), config, table_top_m)
    if request.kind != 'pick_and_place':
        raise MotionError(
            ReasonCode.UNREACHABLE, f'no motion {request.kind!r}; there are point, give and pick_and_place'
        )
    container = snapshot.container_named(request.container)
    if container is None:
        known = ', '.join(c.name for c in snapshot.containers) or 'none'
        raise MotionError(
            ReasonCode.UNREACHABLE, f'the snapshot has no container {request.container!r}; it has {known}'
        )
    contents = [
        other
        for other in snapshot.objects
        if other.container == container.name and other.object_id != request.object_id
    ]
    top = container_solid(container, table_top_m).top_m
    half = solid.size_m[2] / 2
    # Objects are stacked on a pad or a column, and dropped into a container that is much wider than they are.
    if _is_stack(container, contents, table_top_m):
        x, y, _ = container.position_world_m
        return [ReleasePoint((x, y, top + config.stack_gap_m + half), f'the top of {container.name}')]
    points = []
    spots = spots_in(container, contents, radius(solid))
    middle = min(spots, key=lambda spot: np.hypot(*np.subtract(spot, container.position_world_m[:2])))
    # The middle comes last, for an arm that reaches none of the better ones.
    for spot in dict.fromkeys([*spots[:_SPOTS_TRIED], middle]):
        heap = [object_solid(c, table_top_m) for c in contents if not c.inferred]
        rim = max([top, *(s.top_m for s in heap if np.hypot(s.centre_m[0] - spot[0], s.centre_m[1] - spot[1]) < 0.08)])
        points.append(ReleasePoint((*spot, rim + config.drop_m + half), f'a place over {container.name}'))
    return points


def _at_users_side(
    solid: Solid, others: Sequence[Solid], side_x_m: float | None, config: MotionConfig, table_top_m: float
) -> list[ReleasePoint]:
    if side_x_m is None:
        raise MotionError(ReasonCode.UNREACHABLE, f'the snapshot has no {USERS_SIDE}')
    size = radius(solid)
    x_low = side_x_m + config.user_side_depth_m
    x_high = x_low + 0.09
    near = (x_low, float(np.clip(solid.centre_m[1], -0.35, 0.35)))
    y_m = (max(config.table_y_m[0] + size, near[1] - 0.35), min(config.table_y_m[1] - size, near[1] + 0.35))
    # Places with room for a hand come first, because the object beside may have to be grasped next.
    roomy, tight = (
        list(islice(spread(free_spots(others, config, size + room, near, x_m=(x_low, x_high), y_m=y_m)), _SPOTS_TRIED))
        for room in (config.hand_room_m, 0.0)
    )
    spots = [*roomy, *tight]
    z = table_top_m + config.slide_m + solid.size_m[2] / 2
    if not spots:
        raise MotionError(ReasonCode.UNREACHABLE, f'{USERS_SIDE} has no free place for {solid.name}')
    low = [ReleasePoint((*spot, z), USERS_SIDE, low=True) for spot in spots[:_SPOTS_TRIED]]
    return low + [ReleasePoint((*spot, z), USERS_SIDE) for spot in spots]


def _is_stack(container: Container, contents: Sequence[TableObject], table_top_m: float) -> bool:
    """Whether objects are stacked on a container instead of dropped into it.

    That is so if it is as flat as a pad, or if its top is that of the objects on it and it is hardly wider than they
    are.
    """
    width, depth, height = container.size_m
    if height < _LOW_CONTAINER_M:
        return True
    if not contents:
        return False
    highest = max(contents, key=_top_m)
    narrow = max(width, depth) <= _PAD_WIDTHS * max(highest.size_m[:2])
    return narrow and abs(_top_m(highest) - table_top_m - height) < _SAME_HEIGHT_M


def _top_m(item: TableObject) -> float:
    return item.pose_world.position_m[2] + item.size_m[2] / 2
