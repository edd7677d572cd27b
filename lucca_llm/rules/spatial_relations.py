"""What modifiers of a spatial phrase mean on the table: distances of centres and sides, as the prompt lists them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lucca_core.users_view import BESIDE_CM, UsersView
from lucca_llm.rules.spatial_phrases import Direction, Kind, Modifier, SpatialPhrase, Whose

_NEXT_TO_CM = 20.0
_ON_TOP_CM = 6.0
_CLEARLY_NEARER = 1.5
"""How many times as far the second of two things stands if `next to` is the first of them."""
_BESIDE_LINE = 0.35
"""How far from the line between two things something between them may stand, in parts of that line's length."""
_LINE = 1.5
"""How many times as far apart three things are in one direction as in the other if one is `the middle one`."""
_FILTERS = (Kind.ONLY, Kind.NEXT_TO, Kind.ON, Kind.BETWEEN, Kind.SIDE_OF, Kind.HALF)
"""These leave several things, of which others then choose one."""

Along = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Choice:
    """The names that a phrase means, the likeliest first. `is_clear`: it is the first of them and no other.

    `depends`: it depends on from whose side one looks, or on what counts as a side. `is_ranked`: the first is the
    nearest.
    """

    names: tuple[str, ...]
    is_clear: bool = True
    depends: bool = False
    is_ranked: bool = False


class Relations:
    """The meaning of modifiers at one table."""

    def __init__(self, view: UsersView, places: Sequence[str]) -> None:
        self._view = view
        self._places = places

    def choose(self, phrase: SpatialPhrase) -> Choice:
        """The things that a phrase means, of those that its noun may mean."""
        landmarks = {name for item in phrase.modifiers for names in item.landmarks if len(names) == 1 for name in names}
        names = tuple(name for name in phrase.names if name not in landmarks)
        choosers = [item for item in phrase.modifiers if item.kind not in _FILTERS]
        choice = Choice(names, is_clear=len(names) == 1)
        for item in phrase.modifiers:
            if item.kind in _FILTERS:
                is_last = not choosers and item is phrase.modifiers[-1]
                choice = self._kept(choice, item, alone=is_last)
        for item in choosers:
            choice = self._chosen(choice, item)
        return choice

    def standing(self, phrase: SpatialPhrase) -> list[str]:
        """All of a phrase's things of which its one modifier is true, the nearest first."""
        (item,) = phrase.modifiers
        names = [name for name in phrase.names if (name,) not in item.landmarks]
        if item.kind not in _FILTERS:
            return [*self.choose(phrase).names] if names else []
        away = self._away(item.landmarks) if item.landmarks else lambda _: 0.0
        return sorted((name for name in names if self._stands(item, name)), key=away)

    def _kept(self, before: Choice, item: Modifier, *, alone: bool) -> Choice:
        depends = before.depends or _depends(item.direction, before.names)
        if item.kind is Kind.ONLY:
            return Choice(before.names, len(before.names) == 1, depends)
        if item.kind is Kind.HALF and alone and item.direction is not None:
            return self._on_a_side(before, item.direction)
        away = self._away(item.landmarks) if item.landmarks else lambda _: 0.0
        kept = sorted((name for name in before.names if self._stands(item, name)), key=away)
        if len(kept) < 2:
            return Choice(tuple(kept), len(kept) == 1, depends)
        is_ranked = item.kind is not Kind.BETWEEN and away(kept[1]) - away(kept[0]) >= BESIDE_CM
        is_clear = is_ranked and away(kept[1]) >= _CLEARLY_NEARER * away(kept[0])
        return Choice(tuple(kept), is_clear, depends, is_ranked)

    def _chosen(self, before: Choice, item: Modifier) -> Choice:
        names = before.names
        if len(names) < 2 and item.kind is not Kind.ORDINAL:
            return before
        if item.kind is Kind.MIDDLE:
            found = self._middle(names)
            return Choice(found or names, len(found) == 1, before.depends)
        depends = before.depends or _depends(item.direction, names)
        along = self._away(item.landmarks) if item.kind is Kind.NEAREST else self._along(item.direction)
        if item.kind is Kind.ORDINAL:
            return _ordinal(names, along, item.number, depends)
        ranked = sorted(names, key=along)
        is_clear = along(ranked[1]) - along(ranked[0]) >= BESIDE_CM
        alike = [name for name in ranked if along(name) - along(ranked[0]) < BESIDE_CM]
        return Choice(tuple([ranked[0]] if is_clear else alike), is_clear, depends)

    def _on_a_side(self, before: Choice, direction: Direction) -> Choice:
        """Of two, the one further to that side; of several, the outermost, which is in doubt."""
        along = self._along(direction)
        ranked = sorted(before.names, key=along)
        if len(ranked) < 2:
            return Choice(tuple(ranked), len(ranked) == 1, before.depends)
        is_clear = along(ranked[1]) - along(ranked[0]) >= BESIDE_CM
        depends = before.depends or direction.whose is Whose.UNSAID or len(ranked) > 2
        alike = [name for name in ranked if along(name) - along(ranked[0]) < BESIDE_CM]
        return Choice(tuple([ranked[0]] if is_clear else alike), is_clear, depends)

    def _stands(self, item: Modifier, name: str) -> bool:
        if item.kind is Kind.BETWEEN:
            first, last = item.landmarks
            return any(self._is_between(name, one, other) for one in first for other in last if one != other)
        if item.kind is Kind.SIDE_OF and item.direction is not None:
            return any(self._is_at_side(name, landmark, item.direction) for landmark in item.landmarks[0])
        if item.kind is Kind.HALF:
            return self._along(item.direction)(name) < self._middle_along(item.direction)
        near = [landmark for landmark in item.landmarks[0] if landmark != name]
        reach_cm = _ON_TOP_CM if item.kind is Kind.ON else _NEXT_TO_CM
        return any(
            self._distance_cm(name, other) <= reach_cm * (1.5 if other in self._places else 1.0) for other in near
        )

    def _middle_along(self, direction: Direction | None) -> float:
        """The middle of all that stands here, in a direction."""
        along = [self._along(direction)(name) for name in self._view.right_cm]
        return (min(along) + max(along)) / 2

    def _is_between(self, name: str, one: str, other: str) -> bool:
        if name in (one, other):
            return False
        (x, y), (to_x, to_y) = self._offset(one, other), self._offset(one, name)
        length = math.hypot(x, y) or 1.0
        part = (x * to_x + y * to_y) / length**2
        return 0.1 < part < 0.9 and abs(x * to_y - y * to_x) / length <= _BESIDE_LINE * length

    def _is_at_side(self, name: str, landmark: str, direction: Direction) -> bool:
        if name == landmark:
            return False
        right, away = self._offset(landmark, name)
        is_across, sign = direction.users()
        ahead, across = (sign * right, away) if is_across else (sign * away, right)
        return ahead >= max(BESIDE_CM, abs(across) / 2)

    def _middle(self, names: Sequence[str]) -> tuple[str, ...]:
        """The one of three that stands between the others, in the direction in which they are clearly further apart."""
        if len(names) != 3:
            return ()
        found = set()
        extents = [
            max(along[name] for name in names) - min(along[name] for name in names)
            for along in (self._view.right_cm, self._view.away_cm)
        ]
        for along, extent, other in (
            (self._view.right_cm, extents[0], extents[1]),
            (self._view.away_cm, extents[1], extents[0]),
        ):
            one, middle, last = sorted(names, key=along.__getitem__)
            is_apart = along[middle] - along[one] >= BESIDE_CM and along[last] - along[middle] >= BESIDE_CM
            found |= {middle} if is_apart and _LINE * extent >= other else set()
        return tuple(found)

    def _along(self, direction: Direction | None) -> Along:
        """A coordinate that is smallest for the outermost thing in a direction."""
        if direction is None:
            return lambda name: 0.0
        is_across, sign = direction.users()
        view = self._view.right_cm if is_across else self._view.away_cm
        return lambda name: -sign * view[name]

    def _away(self, landmarks: Sequence[Sequence[str]]) -> Along:
        """The distance from the nearest of the things that the first landmark may be."""
        return lambda name: min(
            (self._distance_cm(name, landmark) for landmark in landmarks[0] if landmark != name), default=math.inf
        )

    def _distance_cm(self, one: str, other: str) -> float:
        return math.hypot(*self._offset(one, other))

    def _offset(self, one: str, other: str) -> tuple[float, float]:
        right_cm, away_cm = self._view.right_cm, self._view.away_cm
        return right_cm[other] - right_cm[one], away_cm[other] - away_cm[one]


def _depends(direction: Direction | None, names: Sequence[str]) -> bool:
    return direction is not None and direction.whose is Whose.UNSAID and len(names) > 1


def _ordinal(names: Sequence[str], along: Along, number: int, depends: bool) -> Choice:
    """The thing with a number, counted from the outermost one; none may stand beside it."""
    ranked = sorted(names, key=along)
    if not 0 < number <= len(ranked):
        return Choice(tuple(ranked), is_clear=False, depends=depends)
    alike = [name for name in ranked if abs(along(name) - along(ranked[number - 1])) < BESIDE_CM]
    return Choice(tuple(alike), len(alike) == 1, depends)
