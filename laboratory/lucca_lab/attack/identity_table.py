"""A random table as a noisy detector sees it: wrong labels, fragments, missed objects, lost frames, wrong places."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from lucca_core.protocol.snapshots import Pose, TableObject
from lucca_lab.attack.identity_truth import TrueThing
from perception_node.camera import Doubles
from perception_node.config import PerceptionConfig
from perception_node.detector import Detection
from perception_node.identity.containment import Places
from perception_node.identity.identity import Tracker
from perception_node.identity.visibility import Sight, View
from perception_node.lexicon import load_lexicon
from perception_node.robot_view import HandState

_LEXICON, _CONFIG = load_lexicon(), PerceptionConfig()
_KINDS = {
    'red': ('apple', 'can', 'cube'),
    'yellow': ('banana', 'lemon', 'cube'),
    'green': ('pear', 'cube'),
    'blue': ('cube',),
}
_SIZE_M, _HALF_M = (0.05, 0.05, 0.05), 0.025
_TABLE_M = 0.8
_LIFT_M = 0.2
_BOX, _PAD = (0.30, 0.115), (0.54, 0.0)
_CONTAINERS = (
    ('box 1', _BOX, (0.22, 0.20, 0.085)),
    ('tower', _PAD, (0.11, 0.11, 0.004)),
)
_WRONG_LABEL, _PIECE, _SPLIT, _MISSED, _LOST_FRAME, _MISREAD = 0.04, 0.15, 0.06, 0.05, 0.05, 0.01
_Point = tuple[float, float, float]


class DrawnTable:
    """A table with random objects, the detector that sees them, and the tracker that gets its detections.

    Attributes:
        story: what has happened, for the message of a failed trial.
        happened: the same, as counts.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._places, self._tracker = Places(_LEXICON, _CONFIG), Tracker(_LEXICON, _CONFIG)
        self._kinds: dict[str, tuple[str, str]] = {}
        self._at: dict[str, _Point] = {}
        self._touched: set[str] = set()
        self._hidden: list[_Point] = []
        self._hands: tuple[HandState, ...] = ()
        self._load = ''
        self._now_s = 0.0
        self._told: tuple[TableObject, ...] = ()
        self.story: list[str] = []
        self.happened: Counter[str] = Counter()
        kinds = [(label, colour) for colour, labels in _KINDS.items() for label in labels]
        chance.shuffle(kinds)
        self._absent = kinds[7:]
        cubes = [kind for kind in kinds[:7] if kind[0] == 'cube']
        self._spots = [(x, y, _TABLE_M + _HALF_M) for x in (0.25, 0.37, 0.5) for y in (-0.42, -0.3, -0.18, 0.3, 0.42)]
        chance.shuffle(self._spots)
        height = _TABLE_M + 0.004 + _HALF_M
        for label, colour in cubes[: chance.randint(0, 3)]:
            self._put(self._add(label, colour), (*_PAD, height))
            height += 2 * _HALF_M
        for label, colour in kinds[:7]:
            if not any(kind == (label, colour) for kind in self._kinds.values()):
                self._put(self._add(label, colour), self._in_box() if chance.random() < 0.2 else self._spots.pop())
        self._touched.clear()

    def truth(self) -> dict[str, TrueThing]:
        """All objects on the table, by a key that begins with the object's name."""
        return {
            key: TrueThing(
                _LEXICON.base_name(*self._kinds[key]), at, key not in self._touched, ('box 1',) if _boxed(at) else ()
            )
            for key, at in self._at.items()
        }

    def frame(self) -> tuple[TableObject, ...]:
        """The tracker's objects after one more frame. If the frame was lost, they are those of the last frame."""
        self._now_s += 0.1
        if self._chance.random() < _LOST_FRAME:
            return self._told
        containers = [
            Detection(
                label=name, score=1.0, pose_world=Pose((x, y, _TABLE_M + size[2] / 2)), size_m=size, is_container=True
            )
            for name, (x, y), size in _CONTAINERS
        ]
        self._places.update(containers)
        seen = [item for key in self._at for item in self._seen(key)]
        self._told = self._tracker.update(self._now_s, seen, self._places, self._hands, _DrawnView(self, self._chance))
        return self._told

    def event(self) -> Iterator[None]:
        """One random event; yields after each frame of it."""
        name = self._chance.choice(('removed', 'swapped', 'moved', 'fell', 'carried', 'carried'))
        self.happened[name] += 1
        yield from getattr(self, f'_{name}')()
        self._hidden, self._hands, self._load = [], (), ''

    def occupied(self, at: Sequence[float] | Doubles) -> bool:
        """Whether an object is really at a place."""
        return any(math.dist(at, other) < 0.04 for other in self._at.values())

    def hidden(self, at: Sequence[float] | Doubles) -> bool:
        """Whether an arm hides a place, or an object stands on it."""
        x, y, z = (float(value) for value in at)
        below = any(math.dist((x, y), other[:2]) < 0.03 and other[2] > z + 0.03 for other in self._at.values())
        return below or any(math.dist((x, y), other[:2]) < 0.1 for other in self._hidden)

    # Events

    def _removed(self) -> Iterator[None]:
        key = self._top()
        self._tell(f'{key} taken away')
        yield from self._covered(self._at[key])
        self._absent.append(self._kinds[key])
        del self._at[key]

    def _swapped(self) -> Iterator[None]:
        # In a box most objects are seen only in part, so that nobody could tell the difference.
        key = self._top(boxed=False)
        at, kind = self._at[key], self._absent.pop(0)
        yield from self._covered(at)
        del self._at[key]
        yield from self._covered(at)
        self._put(self._add(*kind), at)
        self._tell(f'{kind[1]} {kind[0]} put where {key} was')
        self._absent.append(self._kinds[key])

    def _moved(self) -> Iterator[None]:
        key = self._top()
        yield from self._covered(self._at[key])
        self._go(key, self._in_box() if self._chance.random() < 0.4 else self._free())
        yield

    def _fell(self) -> Iterator[None]:
        stack = [key for key, at in self._at.items() if math.dist(at[:2], _PAD) < 0.03]
        for key in stack[1:] or stack:
            self._go(key, self._beside())
        yield

    def _carried(self) -> Iterator[None]:
        key = self._top()
        start, goal = self._at[key], self._in_box() if self._chance.random() < 0.6 else self._free()
        self._load = key
        self._tell(f'{key} carried')
        for share in (0.0, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.0):
            x, y = (start[axis] + share * (goal[axis] - start[axis]) for axis in (0, 1))
            lift = 0.0 if share == 0.0 else _LIFT_M
            self._at[key] = (x, y, start[2] + lift)
            self._touched.add(key)
            self._hands = (HandState('left', (x, y, start[2] + 0.03 + lift), True),)
            self._hidden = [(x, y, start[2])]
            yield
        self._go(key, goal)
        self._hands = (HandState('left', (goal[0], goal[1], goal[2] + 0.06), False),)
        self._load = ''
        yield
        yield

    # Random drawing

    def _seen(self, key: str) -> list[Detection]:
        """The detections of one object: none, the whole object, a part of it, or two parts."""
        chance, at = self._chance, self._at[key]
        loaded = key == self._load
        if chance.random() < (0.3 if loaded else _MISSED) or (not loaded and self.hidden(at) and chance.random() < 0.6):
            return []
        cut = loaded or self.hidden(at)
        found = [self._detection(key, cut or chance.random() < _PIECE)]
        if chance.random() < (0.4 if cut else _SPLIT):
            found.append(self._detection(key, True, apart_m=0.05))
        return found

    def _detection(self, key: str, partial: bool, apart_m: float = 0.0) -> Detection:
        chance = self._chance
        label, colour = self._kinds[key]
        if chance.random() < (0.4 if partial else _WRONG_LABEL):
            label = chance.choice(_KINDS[colour])
        spread = 0.012 if partial else 0.002
        x, y, z = self._at[key]
        turn = chance.uniform(-math.pi, math.pi)
        return Detection(
            label=label,
            score=0.5 if partial else chance.uniform(0.8, 1.0),
            attributes=(colour,),
            box_px=(1, 2, 3, 4),
            pose_world=Pose(
                (
                    x + chance.gauss(0, spread) + apart_m * math.cos(turn),
                    y + chance.gauss(0, spread) + apart_m * math.sin(turn),
                    z + chance.gauss(0, 0.002),
                )
            ),
            size_m=_SIZE_M,
            partial=partial,
        )

    def _covered(self, at: _Point) -> Iterator[None]:
        """A few frames during which somebody's arm hides a place."""
        self._hidden = [at]
        for _ in range(self._chance.randint(1, 4)):
            yield
        self._hidden = []

    def _top(self, *, boxed: bool = True) -> str:
        """A random object with nothing on it. With `boxed` false, objects in the box are excluded."""
        free = [
            key
            for key, at in self._at.items()
            if (boxed or not _boxed(at))
            and not any(math.dist(at[:2], other[:2]) < 0.03 and other[2] > at[2] + 0.03 for other in self._at.values())
        ]
        return self._chance.choice(free)

    def _add(self, label: str, colour: str) -> str:
        key = f'{_LEXICON.base_name(label, colour)}#{len(self._kinds)}'
        self._kinds[key] = (label, colour)
        return key

    def _put(self, key: str, at: _Point) -> None:
        self._at[key] = at
        self._touched.add(key)

    def _go(self, key: str, at: _Point) -> None:
        self._put(key, at)
        self._tell(f'{key} to {at[0]:.2f} {at[1]:.2f}')

    def _tell(self, what: str) -> None:
        self.story.append(f'{what} at {self._now_s:.1f} s')

    def _free(self) -> _Point:
        """A place on the table with nothing near it."""
        spots = [spot for spot in self._spots if not any(math.dist(spot, at) < 0.1 for at in self._at.values())]
        return self._chance.choice(spots)

    def _beside(self) -> _Point:
        """The place where a fallen object comes to rest: near the tower or beside another object."""
        for _ in range(100):
            others = [at for at in self._at.values() if at[2] < _TABLE_M + 0.04]
            x, y, _ = self._chance.choice(others) if others and self._chance.random() < 0.5 else (*_PAD, 0.0)
            turn, reach = self._chance.uniform(-math.pi, math.pi), self._chance.uniform(0.055, 0.16)
            spot = (x + reach * math.cos(turn), y + reach * math.sin(turn), _TABLE_M + _HALF_M)
            if all(math.dist(spot, at) > 0.054 for at in self._at.values()) and 0.1 < spot[0] < 0.64:
                return spot
        return self._free()

    def _in_box(self) -> _Point:
        for _ in range(50):
            x, y = _BOX[0] + self._chance.uniform(-0.06, 0.06), _BOX[1] + self._chance.uniform(-0.05, 0.05)
            spot = (x, y, _TABLE_M + 0.006 + _HALF_M)
            if all(math.dist(spot, at) > 0.055 for at in self._at.values()):
                return spot
        return self._free()


def _boxed(at: _Point) -> bool:
    return abs(at[0] - _BOX[0]) < 0.11 and abs(at[1] - _BOX[1]) < 0.1


class _DrawnView(View):
    """The depth of a frame, simulated: nearly all that it says about places is true."""

    def __init__(self, table: DrawnTable, chance: random.Random) -> None:
        self._table = table
        self._chance = chance

    def sight(self, position_m: Doubles, size_m: Doubles) -> Sight:
        """See `View.sight`. An occupied place is sometimes said to be empty."""
        if self._table.hidden(position_m):
            return Sight.HIDDEN
        if self._table.occupied(position_m) and self._chance.random() > _MISREAD:
            return Sight.OCCUPIED
        return Sight.EMPTY

    def excludes(self, places_m: Doubles, size_m: Doubles) -> bool:
        """See `View.excludes`."""
        return not any(self._table.occupied(place) or self._table.hidden(place) for place in places_m)
