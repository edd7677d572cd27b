"""The matching of objects in a snapshot with those of the log, after perception was restarted or objects were moved.

While perception runs, ids identify objects, whatever their labels and positions. After a restart ids are new, or the
same ids mean other objects; then kind and position decide. Where neither does, the object is reported as uncertain.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import dist

from lucca_core.protocol.snapshots import TABLE
from lucca_memory.declarative.entry import SeenObject

SAME_PLACE_M = 0.08
"""Objects of one kind on the table within this distance may be the same one."""

_NUMBER = re.compile(r' \d+$')


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectMatching:
    """`known_ids` maps ids of the snapshot to ids of the log; ids not in it are new. `uncertain` are ids of the
    snapshot that may be one of several known objects, or a new one."""

    known_ids: dict[str, str]
    uncertain: tuple[str, ...]


def match(known: Sequence[SeenObject], seen: Sequence[SeenObject], same_as: Mapping[str, str]) -> ObjectMatching:
    """Matches the objects of a snapshot with those of the log.

    Args:
        known: the objects of the log as last seen, with the ids of the log.
        seen: the objects of the snapshot, with the ids of the snapshot.
        same_as: ids of perception that are known to mean another id of the log.
    """
    old = {item.object_id: item for item in known}
    new = {item.object_id: item for item in seen}
    by_known = {same_as.get(item, item): item for item in new}
    shared = {now: then for then, now in by_known.items() if then in old}
    strangers = sum(not (_like(new[now], old[then]) or same_place(new[now], old[then])) for now, then in shared.items())
    # One label may be misread while its object moves; if two or most of them differ, they are other objects.
    known_ids = {} if strangers > 1 or 2 * strangers > len(shared) else dict(shared)
    for now, then in known_ids.items():
        del new[now], old[then]
    _pair(old, new, known_ids, lambda one, other: _like(one, other) and same_place(one, other))
    kinds = {kind(item.name) for item in old.values()}
    return ObjectMatching(known_ids=known_ids, uncertain=tuple(item for item in new if kind(new[item].name) in kinds))


def kind(name: str) -> str:
    """The kind of an object from its name, without its number: `red cube` for `red cube 2`."""
    return _NUMBER.sub('', name)


def same_place(old: SeenObject, new: SeenObject) -> bool:
    """True if both are in the same container, or both on the table within SAME_PLACE_M of each other."""
    if old.container != new.container:
        return False
    # Height is ignored: an object may be seen from another side, or stand on something.
    return old.container != TABLE or dist(old.position_m[:2], new.position_m[:2]) <= SAME_PLACE_M


def aliases(
    matching: ObjectMatching, seen: Sequence[SeenObject], known: Sequence[SeenObject], stamp: int
) -> dict[str, str]:
    """The id in the log for each object of a snapshot. A new object with an id that the log uses for another gets a new
    id from `stamp`, the number of the entry that mentions it first."""
    taken = {item.object_id for item in known}
    return {
        item.object_id: matching.known_ids.get(
            item.object_id, f'{item.object_id}+{stamp}' if item.object_id in taken else item.object_id
        )
        for item in seen
    }


def _like(one: SeenObject, other: SeenObject) -> bool:
    return kind(one.name) == kind(other.name)


def _pair(
    old: dict[str, SeenObject],
    new: dict[str, SeenObject],
    known_ids: dict[str, str],
    fits: Callable[[SeenObject, SeenObject], bool],
) -> None:
    """Pairs objects that fit only each other; among several candidates in one container any will do."""
    for now, item in list(new.items()):
        candidates = [then for then, other in old.items() if fits(other, item)]
        rivals = sum(fits(old[then], other) for then in candidates[:1] for other in new.values())
        if (len(candidates) == 1 and rivals == 1) or (candidates and item.container != TABLE):
            known_ids[now] = candidates[0]
            del old[candidates[0]], new[now]
