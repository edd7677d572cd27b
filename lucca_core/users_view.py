"""What stands where as the user sees it, who sits at the user's side and looks at the robot."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lucca_core.protocol.snapshots import USERS_SIDE, Snapshot

BESIDE_CM = 3.0
"""Things that are less than this apart in one direction are not told apart by it."""


@dataclass(frozen=True, slots=True)
class UsersView:
    """Where containers and objects on the table stand, by name, as the user sees them.

    `right_cm` is measured to the right from the middle of the user's side, `away_cm` from there to the far side. Both
    have the same names.
    """

    right_cm: Mapping[str, float] = field(default_factory=dict)
    away_cm: Mapping[str, float] = field(default_factory=dict)


def users_view(snapshot: Snapshot) -> UsersView:
    """The view of somebody at the user's side; empty if the snapshot does not show where that is.

    The side is longer from left to right than it is deep, and the user looks across it at all that stands here.
    """
    side = snapshot.container_named(USERS_SIDE)
    places = {item.name: item.position_world_m for item in snapshot.containers if item.name != USERS_SIDE}
    places |= {item.name: item.pose_world.position_m for item in snapshot.on_table() if item.name not in places}
    if side is None or len({position[:2] for position in places.values()}) < len(places):
        return UsersView()
    depth = 0 if side.size_m[0] <= side.size_m[1] else 1
    centre = sum(position[depth] for position in places.values()) / max(len(places), 1)
    ahead = 1.0 if centre > side.position_world_m[depth] else -1.0
    # Looking along +x, +y is to the left; looking along +y, +x is to the right.
    rightward = -ahead if depth == 0 else ahead
    origin = side.position_world_m
    return UsersView(
        {name: 100 * rightward * (at[1 - depth] - origin[1 - depth]) for name, at in places.items()},
        {name: 100 * ahead * (at[depth] - origin[depth]) for name, at in places.items()},
    )
