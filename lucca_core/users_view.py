"""What stands where as the user sees it, who sits at the user's side and looks at the robot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lucca_core.protocol.snapshots import USERS_SIDE, Snapshot

_BESIDE_M = 0.03
"""Things that are less than this apart in one direction are not told apart by it."""

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class UsersView:
    """The names of containers and of objects on the table, in groups of what is not told apart."""

    left_to_right: Groups = ()
    near_to_far: Groups = ()


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
    return UsersView(
        _grouped(list(places), lambda name: rightward * places[name][1 - depth]),
        _grouped(list(places), lambda name: ahead * places[name][depth]),
    )


def _grouped(names: Sequence[str], along_m: Callable[[str], float]) -> Groups:
    """The names in order of a coordinate in m. A group ends where the gap to the next is at least `_BESIDE_M`."""
    groups: list[list[str]] = []
    for name in sorted(names, key=along_m):
        if groups and along_m(name) - along_m(groups[-1][-1]) < _BESIDE_M:
            groups[-1].append(name)
        else:
            groups.append([name])
    return tuple(map(tuple, groups))
