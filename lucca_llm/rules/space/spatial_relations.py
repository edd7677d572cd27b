"""What modifiers of a spatial phrase mean on the table: distances of centres and sides, as the prompt lists them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lucca_core.users_view import BESIDE_CM, UsersView
from lucca_llm.rules.space.spatial_modifiers import Direction, Modifier, Relation, SpatialPhrase

_NEXT_TO_CM = 20.0
_REACH_CM = {Relation.ON: 3.0, Relation.TOUCHING: 8.0}
_CLEARLY_NEARER = 1.5
"""How many times as far the second of two things stands if `next to` is the first of them."""
_BESIDE_LINE = 0.35
"""How far from the line between two things something between them may stand, in parts of that line's length."""
_LINE = 1.5
"""How many times as far apart three things are in one direction as in the other if one is `the middle one`."""
_FILTERS = (
    Relation.ONLY,
    Relation.NEXT_TO,
    Relation.TOUCHING,
    Relation.ON,
    Relation.BETWEEN,
    Relation.SIDE_OF,
    Relation.HALF,
)
"""These leave several things, of which others then choose one."""

Along = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Choice:
    """The names that a phrase means, the likeliest first. `is_clear`: it is the first of them and no other.

    `is_ranked`: the first is the nearest, or the outermost, but others may be meant.
    """

    names: tuple[str, ...]
    is_clear: bool = True
    is_ranked: bool = False


class Relations:
    """The meaning of modifiers at one table."""

    def __init__(self, view: UsersView, places: Sequence[str]) -> None:
        self._view = view
        self._places = places

    def choose(self, phrase: SpatialPhrase) -> Choice:
        """The things that a phrase means, of those that its noun may mean, as the user sees what is open."""
        names = self.candidates(phrase)
        choice = Choice(names, is_clear=len(names) == 1)
        filters = sorted(
            (item for item in phrase.modifiers if item.kind in _FILTERS), key=lambda item: item.kind is Relation.ONLY
        )
        choosers = [item for item in phrase.modifiers if item.kind not in _FILTERS]
        told = any(item.landmarks for item in filters)
        if len(names) == 1:
            filters = [item for item in filters if item.kind is not Relation.HALF]  # `the left apple` of one
        for number, item in enumerate(filters, 1):
            is_last = not choosers and number == len(filters)
            choice = self._kept(choice, item, is_last=is_last, is_plural=phrase.is_plural)
        ends = [item for item in choosers if item.kind in (Relation.EXTREME, Relation.NEAREST)]
        if len({self._chosen(choice, item).names for item in ends}) > 1:
            return Choice(choice.names, is_clear=False)  # `closest to me and closest to you`
        for item in choosers:
            choice = self._chosen(choice, item)
            if told and item.kind is Relation.ORDINAL:
                of_all = self._chosen(Choice(names), item).names
                if of_all != choice.names:
                    # `the second from the left that touches the bowl`: the second of all, or of those that touch it?
                    choice = Choice(tuple(dict.fromkeys((*of_all, *choice.names))), is_clear=False)
        return choice

    def candidates(self, phrase: SpatialPhrase) -> tuple[str, ...]:
        """What a phrase's noun may mean, without what it is told by."""
        landmarks = [self._means(landmark) for item in phrase.modifiers for landmark in item.landmarks]
        sure = {names[0] for names in landmarks if len(names) == 1}
        return tuple(name for name in phrase.names if name not in sure)

    def standing(self, phrase: SpatialPhrase) -> list[str]:
        """All of a phrase's things of which its one modifier is true, the nearest first."""
        (item,) = phrase.modifiers
        names = self.candidates(phrase)
        if not names:
            return []
        if item.kind not in _FILTERS:
            choice = self.choose(phrase)
            return [*choice.names] if choice.is_clear else []
        away = self._away(item)
        return sorted((name for name in names if self._stands(item, name)), key=away)

    def _means(self, landmark: SpatialPhrase) -> tuple[str, ...]:
        """The things that a landmark may be: those that its modifiers leave, or all of its noun."""
        if not landmark.modifiers:
            return landmark.names
        choice = self.choose(landmark)
        return choice.names[:1] if choice.is_clear else choice.names

    def _kept(self, before: Choice, item: Modifier, *, is_last: bool, is_plural: bool) -> Choice:
        if item.kind is Relation.ONLY:
            return Choice(before.names, len(before.names) == 1)
        if (
            item.kind is Relation.HALF
            and is_last
            and not is_plural
            and len(before.names) > 1
            and item.direction is not None
        ):
            return self._on_a_side(before, item.direction)
        away = self._away(item)
        kept = sorted((name for name in before.names if self._stands(item, name)), key=away)
        if len(kept) < 2:
            return Choice(tuple(kept), len(kept) == 1)
        if item.kind is Relation.NEXT_TO and not is_last:
            # Among many things, those are next to it that are about as near as the nearest.
            near_cm = max(_CLEARLY_NEARER * away(kept[0]), _REACH_CM[Relation.TOUCHING])
            return Choice(tuple(name for name in kept if away(name) <= near_cm), is_clear=False)
        is_ranked = item.kind is not Relation.BETWEEN and away(kept[1]) - away(kept[0]) >= BESIDE_CM
        return Choice(tuple(kept), is_ranked and away(kept[1]) >= _CLEARLY_NEARER * away(kept[0]), is_ranked)

    def _chosen(self, before: Choice, item: Modifier) -> Choice:
        names = before.names
        if item.kind is Relation.ORDINAL:
            return _ordinal(names, self._along(item.direction), item.number)
        if len(names) < 2:
            return before
        if item.kind is Relation.MIDDLE:
            found = self._middle(names)
            return Choice(found or names, len(found) == 1)
        along = self._away(item) if item.kind is Relation.NEAREST else self._along(item.direction)
        return _outermost(names, along)

    def _on_a_side(self, before: Choice, direction: Direction) -> Choice:
        """Of two, the one further to that side; of several, the outermost is only the likeliest."""
        if len(before.names) < 2:
            return before
        along = self._along(direction)
        choice = _outermost(before.names, along)
        is_there = along(choice.names[0]) < self._middle_along(direction)
        is_clear = choice.is_clear and len(before.names) == 2 and is_there
        return replace(choice, is_clear=is_clear, is_ranked=choice.is_clear)

    def _stands(self, item: Modifier, name: str) -> bool:
        if item.kind is Relation.BETWEEN:
            first, last = map(self._means, item.landmarks)
            return any(self._is_between(name, one, other) for one in first for other in last if one != other)
        if item.kind is Relation.SIDE_OF and item.direction is not None:
            return any(self._is_at_side(name, landmark, item.direction) for landmark in self._means(item.landmarks[0]))
        if item.kind is Relation.HALF:
            return self._along(item.direction)(name) < self._middle_along(item.direction)
        near = [landmark for landmark in self._means(item.landmarks[0]) if landmark != name]
        reach_cm = _REACH_CM.get(item.kind, _NEXT_TO_CM)
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

    def _away(self, item: Modifier) -> Along:
        """The distance from the nearest of the things that the first landmark may be; 0 without a landmark."""
        if not item.landmarks:
            return lambda name: 0.0
        means = self._means(item.landmarks[0])
        return lambda name: min((self._distance_cm(name, other) for other in means if other != name), default=math.inf)

    def _distance_cm(self, one: str, other: str) -> float:
        return math.hypot(*self._offset(one, other))

    def _offset(self, one: str, other: str) -> tuple[float, float]:
        right_cm, away_cm = self._view.right_cm, self._view.away_cm
        return right_cm[other] - right_cm[one], away_cm[other] - away_cm[one]


def _outermost(names: Sequence[str], along: Along) -> Choice:
    """The thing with the smallest coordinate, or all that are not told apart from it."""
    first = min(map(along, names))
    alike = sorted((name for name in names if along(name) - first < BESIDE_CM), key=along)
    return Choice(tuple(alike), len(alike) == 1)


def _ordinal(names: Sequence[str], along: Along, number: int) -> Choice:
    """The thing with a number, counted from the outermost one; none may stand beside it."""
    ranked = sorted(names, key=along)
    if not 0 < number <= len(ranked):
        return Choice(tuple(ranked), is_clear=False)
    alike = [name for name in ranked if abs(along(name) - along(ranked[number - 1])) < BESIDE_CM]
    return Choice(tuple(alike), len(alike) == 1)
