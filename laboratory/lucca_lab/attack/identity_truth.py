"""Ground truth of object identities, and the check of perception's identities against it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lucca_core.protocol.snapshots import TableObject
from lucca_lab.attack.attack import Broken

_AT_M, _OFF_M, _AWAY_M = 0.035, 0.06, 0.1
_SETTLED_FRAMES, _PASSED_FRAMES = 3, 3
"""An id belongs to an object once it was seen this often under the right name. It has passed to another object once it
was seen there this often in a row.

A single wrong detection, and a fragment after it, may lead an id astray for one or two frames.
"""


@dataclass(frozen=True, slots=True)
class TrueThing:
    """The true identity of an object: its permanent name, its centre, whether it has never moved, and the boxes around
    it.

    Detections of fragments do not tell where inside a box an object lies.
    """

    name: str
    position_m: tuple[float, float, float]
    untouched: bool = True
    boxes: tuple[str, ...] = ()


@dataclass
class Witness:
    """Remembers to which object each id belongs. Raises `Broken` if an id goes to an object with another name."""

    frames: int = 0
    sightings: int = 0
    _told: Sequence[TableObject] = ()
    _own: dict[str, str] = field(default_factory=dict)
    _rightly: Counter[tuple[str, str]] = field(default_factory=Counter)
    _elsewhere: Counter[str] = field(default_factory=Counter)

    def look(self, truth: Mapping[str, TrueThing], told: Sequence[TableObject], story: Sequence[str]) -> None:
        """Compares the objects of one frame with the true ones, given by unique keys (names may occur twice).

        A frame that was lost tells nothing new: it is passed with the same `told`, and does not count.

        Raises:
            Broken: an id is at an object with another name, changed its own name, or left an object that never moved.
        """
        if told is self._told:
            return
        self._told = told
        self.frames += 1
        for item in told:
            at = item.pose_world.position_m
            near = min(truth, key=lambda key: math.dist(truth[key].position_m, at), default=None)
            beside = near is not None and math.dist(truth[near].position_m, at) < _AT_M
            if item.object_id not in self._own:
                # If an object has a wrong name from its first frame on, that is the detector's mistake.
                if near is not None and beside and item.visible and _base(item.name) == truth[near].name:
                    self._rightly[item.object_id, near] += 1
                    if self._rightly[item.object_id, near] >= _SETTLED_FRAMES:
                        self._own[item.object_id] = near
                continue
            self.sightings += item.visible
            own = self._own[item.object_id]
            name = own.split('#', 1)[0]
            after = f'after: {"; ".join(story) or "nothing"}'
            if _base(item.name) != name:
                raise Broken(f'{item.object_id}, the {name}, is called {item.name} {after}')
            mine = truth.get(own)
            apart = math.inf if mine is None else math.dist(mine.position_m, at)
            passed = item.visible and beside and near is not None and apart > _OFF_M and truth[near].name != name
            self._elsewhere[item.object_id] = self._elsewhere[item.object_id] + 1 if passed else 0
            if near is not None and self._elsewhere[item.object_id] >= _PASSED_FRAMES:
                raise Broken(f'{item.object_id}, the {name}, is where the {truth[near].name} is {after}')
            if mine is not None and mine.untouched and apart > _AWAY_M and item.container not in mine.boxes:
                raise Broken(f'{item.object_id}, the {name}, did not move, and is said to be at {at} {after}')


def _base(name: str) -> str:
    head, _, number = name.rpartition(' ')
    return head if head and number.isdigit() else name
