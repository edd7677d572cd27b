"""Noun phrases that tell a thing or place by where it stands, such as `the green block on your left closest to me`.

A phrase is a noun with modifiers before it (`the leftmost`) and behind it (`next to the bowl`), in any number. What a
modifier means is in `spatial_relations.py`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lucca_language.words.verbs import is_handling
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.space.nouns_here import GENERIC, names_of, things_here
from lucca_llm.rules.space.spatial_modifiers import (
    ALL,
    Direction,
    Modifier,
    Relation,
    SpatialPhrase,
    Whose,
    with_sided_ordinals,
)

_TOKEN = re.compile(r"[a-z0-9]+(?:['’-][a-z]+)*|[,;.!?]", re.IGNORECASE)
_JOINED = {
    'left-most': 'leftmost', 'right-most': 'rightmost', 'in-between': 'between', 'front-most': 'front',
    'back-most': 'back', 'far-left': 'leftmost', 'far-right': 'rightmost', 'left-hand': 'left', 'right-hand': 'right',
    '2nd': 'second', '1st': 'first', '3rd': 'third', '4th': 'fourth', 'centre': 'middle', 'center': 'middle',
    'rear': 'back', "that's": 'that', 'thats': 'that', 'that’s': 'that', 'farthest': 'furthest', 'farther': 'furthest',
    'further': 'furthest', 'farthermost': 'furthest', 'nearest': 'closest', 'closer': 'closest', 'nearer': 'closest',
    'lefthand': 'left', 'righthand': 'right',
}  # fmt: skip
_WHICH = ('the', 'that', 'a', 'an', *ALL)
_SIDES = {'left': (True, -1), 'right': (True, 1), 'front': (False, -1), 'back': (False, 1)}
_MOST = {'leftmost': 'left', 'rightmost': 'right', 'frontmost': 'front', 'backmost': 'back'}
_ORDINALS = {'first': 1, 'second': 2, 'third': 3, 'fourth': 4, 'fifth': 5}
_OWNERS = {'my': Whose.USERS, 'your': Whose.ROBOTS, 'the': Whose.UNSAID}
_IS = [
    'that is', 'which is', 'that are', 'which are', 'that lies', 'that stands', 'that sits', 'which lies',
    'which stands', 'that', 'which', 'that is also', 'which is also',
]  # fmt: skip
_LOOSE = ['located', 'positioned', 'placed', 'situated', 'sitting', 'standing', 'lying', 'directly', 'immediately',
          'just', 'almost', 'slightly', 'also', 'all the way']  # fmt: skip
_NEXT_TO = ['next to', 'beside', 'alongside', 'adjacent to', 'close to', 'near to', 'near', 'by']
_TOUCHING = ['touching', 'that touches', 'touches', 'against', 'connected to', 'in contact with', 'adjoining']
_PLACED = ['on', 'to', 'at', 'in', 'towards', 'toward', 'over on', 'over to']
_FAR = ('far', 'furthest', 'very', 'extreme', 'utmost', 'most')
_PARTS = ('side', 'edge', 'end', 'hand', 'part', 'corner', 'most')
_OF_TABLE = ['of the table', 'of the pile', 'of the group', 'of the bunch', 'on the table', 'side of the table']
_NONE = ['no', 'nothing', 'neither', 'neither of the', 'none of the', 'none of those', 'not one', 'never one',
         'not those']  # fmt: skip
_BEFORE_BARE = ('', ',', '.', ';', '!', '?', 'and', 'then', 'or', 'up', 'me', 'please', 'at', 'pickup')
_MINE = ['from my side', 'from where i sit', 'from where i stand', 'from where i am', 'as i see it', 'from my view']
_YOURS = ['from your side', 'from where you stand', 'from where you sit', 'from where you are', 'as you see it',
          'from your view', 'from your point of view', 'from your perspective']  # fmt: skip
_LONGEST_NOUN = 4


@dataclass(frozen=True, slots=True)
class _Head:
    """A noun with the modifiers before it."""

    noun: str
    names: tuple[str, ...]
    before: tuple[Modifier, ...]


class PhraseReader:
    """Reads the spatial phrases of one text at one table."""

    def __init__(self, text: str, table: TableView) -> None:
        self._table = table
        self._places = frozenset(table.places)
        self._spans = [(found.start(), found.end()) for found in _TOKEN.finditer(text)]
        words = [text[start:end].lower() for start, end in self._spans]
        self.words = [_JOINED.get(word, word) for word in words]

    def phrases(self) -> list[SpatialPhrase]:
        """The phrases that tell something here by its place, from left to right, none inside another."""
        found, at = [], 0
        while at < len(self.words):
            phrase, end = self._phrase(at)
            if phrase is not None and phrase.modifiers:
                found.append(phrase)
                at = end
            else:
                at += 1
        return found

    def relation_at(self, position: int) -> tuple[Modifier, int] | None:
        """The modifier that begins at a position of the text, and the number of the word behind it."""
        return self._behind(sum(start < position for start, _ in self._spans))

    def _phrase(self, at: int) -> tuple[SpatialPhrase | None, int]:
        begin, which = at, 'the'
        start = self._skip(at, ['everything', *_NONE])
        if start > at:
            which = 'everything' if self._at(at) == 'everything' else 'no'
            head, end = self._head(start)
            at = end if head is not None else start
            head = head or _Head('thing', things_here(self._table), ())
        else:
            if self._at(at) in (*_WHICH, 'my'):
                which, at = self._at(at), at + 1
                at = self._skip(at, ['of the', 'the', 'of']) if which == 'all' else at
            elif not self._may_begin(begin):
                return None, begin
            head, at = self._head(at)
        is_said = self._at(begin) in ('the', 'that', 'my')
        if head is None or (not is_said and any(item.kind is Relation.ONLY for item in head.before)):
            return None, begin  # `only fruit goes in box 1`
        if head.noun == 'one':
            if self._at(begin - 1) == ',':
                return None, begin  # `a cube, the one next to the apple` is one thing
            head = replace(head, names=self._named_before(begin) or head.names)
        before = [*head.before]
        if before and self._at(at) in ('to', 'from') and (of := self._measured_from(before[-1].said, at)) is not None:
            before[-1], at = of  # `the nearest cube to the bowl`
        behind, at, is_clause = self._all_behind(at)
        modifiers = with_sided_ordinals((*before, *behind))
        for whose, forms in ((Whose.USERS, _MINE), (Whose.ROBOTS, _YOURS)):
            if (seen := self._skip(at, forms)) > at:
                modifiers, at = tuple(item.seen_by(whose) for item in modifiers), seen
        span = self._spans[begin][0], self._spans[at - 1][1]
        return SpatialPhrase(*span, head.noun, head.names, modifiers, which, is_clause), at

    def _head(self, at: int) -> 'tuple[_Head | None, int]':
        """The modifiers before a noun, and the noun."""
        before, at = self._before(at)
        noun = self._noun(at)
        if noun is None or (before and self._at(at) == 'of'):
            return None, at
        return _Head(noun[0], noun[1], tuple(before)), noun[2]

    def _all_behind(self, at: int) -> tuple[list[Modifier], int, bool]:
        """The modifiers behind a noun, where they end, and whether one of them stands in a relative clause."""
        behind: list[Modifier] = []
        is_clause = False
        while True:
            start = self._skip(at, [',', ', and', 'and', 'but', 'and also', ', but'])
            clause = self._skip(start, _IS)
            one = self._behind(self._skip(clause, _LOOSE, many=True))
            if one is None:
                return behind, at, is_clause
            is_clause = is_clause or clause > start
            behind.append(one[0])
            at = one[1]

    def _named_before(self, at: int) -> tuple[str, ...]:
        """The things that the last noun before a word names, which `the one` stands for."""
        for start in range(at - 1, -1, -1):
            found = self._noun(start)
            if found is not None and found[0] not in GENERIC and not set(found[1]) <= self._places:
                longer = [self._noun(begin) for begin in range(max(0, start - _LONGEST_NOUN + 1), start)]
                whole = next((noun for noun in longer if noun is not None and noun[2] == found[2]), found)
                return whole[1]
        return ()

    def _may_begin(self, at: int) -> bool:
        """Whether a noun phrase without an article may begin at a word: not behind an adjective."""
        before = self._at(at - 1)
        return before in _BEFORE_BARE or is_handling(before)

    def _before(self, at: int) -> tuple[list[Modifier], int]:
        """The modifiers before a noun, such as `far left`. A word that is a part of the noun's own name is none."""
        found: list[Modifier] = []
        while True:
            word = self._at(at)
            if self._is_own(at):
                return found, at
            if word == 'far' and self._at(at + 1) in _SIDES:
                found.append(self._extreme(self._at(at + 1), Whose.UNSAID))
                at += 2
            elif word in _MOST:
                found.append(self._extreme(_MOST[word], Whose.UNSAID))
                at += 1
            elif word in _SIDES and self._at(at + 1) != 'of':
                at += 1
                at = self._skip(at, ['hand', 'side', 'most'])
                found.append(Modifier(Relation.HALF, word, Direction(*_SIDES[word], Whose.UNSAID)))
            elif word in ('closest', 'furthest'):
                sign = -1 if word == 'closest' else 1
                found.append(Modifier(Relation.EXTREME, word, Direction(False, sign, Whose.UNSAID)))
                at += 1
            elif word == 'middle':
                found.append(Modifier(Relation.MIDDLE, 'in the middle'))
                at += 1
            elif word in _ORDINALS:
                found.append(Modifier(Relation.ORDINAL, word, number=_ORDINALS[word]))
                at += 1
            elif word == 'only':
                found.append(Modifier(Relation.ONLY, word))
                at += 1
            else:
                return found, at

    @staticmethod
    def _extreme(side: str, whose: Whose) -> Modifier:
        return Modifier(Relation.EXTREME, f'furthest to the {side}', Direction(*_SIDES[side], whose))

    def _behind(self, at: int) -> tuple[Modifier, int] | None:
        """A modifier behind a noun, and where it ends."""
        for read in (self._superlative, self._side, self._counted_from, self._by_landmark):
            found = read(at)
            if found is not None:
                return found
        return None

    def _superlative(self, at: int) -> tuple[Modifier, int] | None:
        """`closest to me`, `furthest away from you`, `furthest to your left`, `closest to the bowl`."""
        at = self._skip(at, ['the most', 'most', 'the'])
        word = self._at(at)
        if word in _ORDINALS and self._at(at + 1) in ('closest', 'furthest'):
            found = self._superlative(at + 1)  # `the block that is second closest to me`
            return found and (replace(found[0], kind=Relation.ORDINAL, number=_ORDINALS[word]), found[1])
        if word not in ('closest', 'furthest', 'near', 'closet') or (word == 'near' and self._at(at - 1) != 'most'):
            return None
        end = self._skip(at + 1, ['away', 'back', 'out', 'over'])
        measured = self._measured_from('furthest' if word == 'furthest' else 'closest', end)
        if measured is not None or word == 'closet' or self._at(end) in ('to', 'from'):
            return measured  # of `furthest from the bowl`, no rule knows the meaning
        sign = 1 if word == 'furthest' else -1  # `the block that is closest`
        return Modifier(Relation.EXTREME, word, Direction(False, sign, Whose.UNSAID)), end

    def _measured_from(self, word: str, at: int) -> tuple[Modifier, int] | None:
        """`to me`, `from you`, `to your left`, `to the bowl`, behind `closest` or `furthest`."""
        is_near = word == 'closest'
        end = self._skip(at, ['to', 'from', 'towards', 'toward', 'on', 'in'])
        is_near_this = is_near and (self._at(at) in ('me', 'you') or self._landmark(at) is not None)  # `nearest you`
        is_bare = end == at and not is_near_this
        if word not in ('closest', 'furthest') or is_bare:
            return None
        if self._at(end) in ('me', 'you', 'myself', 'yourself', 'us'):
            is_users = self._at(end) in ('me', 'myself', 'us')
            sign = -1 if is_users == is_near else 1
            said = f'{"closest to" if is_near else "furthest from"} {self._at(end)}'
            return Modifier(Relation.EXTREME, said, Direction(False, sign, Whose.USERS)), end + 1
        side = self._owned_side(end)
        if side is not None:
            name, whose, behind = side
            return self._extreme(name, whose), behind
        landmark = self._landmark(end) if is_near else None
        return landmark and (Modifier(Relation.NEAREST, 'closest to', landmarks=(landmark[0],)), landmark[1])

    def _owned_side(self, at: int) -> tuple[str, Whose, int] | None:
        """`your left`, `the right side of the table`: the side, whose it is, and where the phrase ends."""
        whose = _OWNERS.get(self._at(at))
        start = at + (whose is not None)
        start = self._skip(start, list(_FAR))
        side = _MOST.get(self._at(start), self._at(start))
        if side not in _SIDES:
            return None
        end = self._skip(start + 1, list(_PARTS), many=True)
        if (self._at(end) == 'of' and not self._follows(end, _OF_TABLE)) or self._noun(end) is not None:
            return None  # `the left of the bowl`, `the left box`
        return side, whose or Whose.UNSAID, self._skip(end, _OF_TABLE)

    def _side(self, at: int) -> tuple[Modifier, int] | None:
        """`on your left`, `to the far right`, `in the middle`, `in front of you`."""
        at = self._skip(at, ['right', 'just', 'directly', 'straight'])
        for front, whose in (('in front of you', Whose.ROBOTS), ('in front of me', Whose.USERS)):
            if self._follows(at, [front]):
                return Modifier(Relation.EXTREME, front, Direction(False, -1, whose)), at + 4
        start = self._skip(at, _PLACED)
        if start == at:
            return None
        if self._follows(start, ['the middle']) and self._at(start + 2) != 'of' and self._noun(start + 2) is None:
            return Modifier(Relation.MIDDLE, 'in the middle'), start + 2
        side = self._owned_side(start)
        if side is None:
            return None
        name, whose, end = side
        if self._at(at) == 'in' and self._at(end - 1) == 'hand':
            return None  # `the cup in your left hand`
        said = ' '.join(self.words[at:end])
        if any(word in _FAR or word in _MOST for word in self.words[start:end]):
            return self._extreme(name, whose), end
        return Modifier(Relation.HALF, said, Direction(*_SIDES[name], whose)), end

    def _counted_from(self, at: int) -> tuple[Modifier, int] | None:
        """`from the left`, behind `the second block`."""
        side = self._owned_side(at + 1) if self._at(at) == 'from' else None
        if side is None:
            return None
        name, whose, end = side
        across, sign = _SIDES[name]
        return Modifier(Relation.ORDINAL, f'from the {name}', Direction(across, sign, whose)), end

    def _by_landmark(self, at: int) -> tuple[Modifier, int] | None:
        start = self._skip(at, ['right', 'just', 'directly', 'immediately'])
        for words in _NEXT_TO:
            if self._follows(start, [words]):
                return self._to(Relation.NEXT_TO, words, start + len(words.split()))
        for words in _TOUCHING:
            if self._follows(start, [words]):
                return self._to(Relation.TOUCHING, 'next to', start + len(words.split()))
        for words in ('on top of', 'on'):
            if self._follows(start, [words]):
                found = self._to(Relation.ON, words, start + len(words.split()))
                is_place = found is not None and found[0].landmarks[0].names[0] in self._table.places
                return None if is_place else found
        if self._follows(start, ['between', 'in between']):
            return self._between(self._skip(start, ['in between', 'between']))
        for words, side in (('behind', 'back'), ('in front of', 'front')):
            if self._follows(start, [words]):
                return self._to(
                    Relation.SIDE_OF, words, start + len(words.split()), Direction(*_SIDES[side], Whose.UNSAID)
                )
        return self._side_of(start)

    def _side_of(self, at: int) -> tuple[Modifier, int] | None:
        """`to the left of the bowl`, `right of it`."""
        start = self._skip(at, ['to', 'on', 'at'])
        whose = _OWNERS.get(self._at(start), Whose.UNSAID)
        side_at = start + (self._at(start) in _OWNERS)
        end = self._skip(side_at + 1, ['hand side', 'side', 'hand'])
        if self._at(side_at) not in ('left', 'right') or self._at(end) != 'of':
            return None
        side = self._at(side_at)
        return self._to(Relation.SIDE_OF, f'to the {side} of', end + 1, Direction(*_SIDES[side], whose))

    def _to(
        self, kind: Relation, said: str, at: int, direction: Direction | None = None
    ) -> tuple[Modifier, int] | None:
        landmark = self._landmark(at)
        if landmark is None:
            return None
        return Modifier(kind, said, direction, (landmark[0],)), landmark[1]

    def _between(self, at: int) -> tuple[Modifier, int] | None:
        first = self._landmark(at)
        if first is None:
            return None
        if self._at(first[1]) == 'and' and (second := self._landmark(first[1] + 1)) is not None:
            return Modifier(Relation.BETWEEN, 'between', landmarks=(first[0], second[0])), second[1]
        if len(first[0].names) > 1 and first[0].is_plural:
            return Modifier(Relation.BETWEEN, 'between', landmarks=(first[0], first[0])), first[1]
        return None

    def _landmark(self, at: int) -> tuple[SpatialPhrase, int] | None:
        """The noun phrase at a word, which means something here, and where it ends.

        What is behind it belongs to it if it is needed to tell which one is meant.
        """
        begin = at
        at = self._skip(at, ['the two', 'both', 'the', 'an', 'a', 'my', 'your', 'one of the', 'that', 'another'])
        head, at = self._head(at)
        if head is None or head.noun in GENERIC:
            return None
        is_open = len(head.names) > 1 and not head.before
        behind, end, _ = self._all_behind(at) if is_open else ([], at, False)
        modifiers = with_sided_ordinals((*head.before, *behind))
        return SpatialPhrase(begin, end, head.noun, head.names, modifiers), end

    def _noun(self, at: int) -> tuple[str, tuple[str, ...], int] | None:
        """The longest noun at a word that names something here: the noun, the names, and where it ends."""
        found = None
        for end in range(at + 1, min(at + _LONGEST_NOUN, len(self.words)) + 1):
            word = self.words[end - 1]
            if word in _NOT_NOUNS and not (end == at + 1 and self._is_own(at)):
                break
            noun = ' '.join(self.words[at:end])
            names = names_of(noun, self._table)
            if names:
                found = noun, names, end
        return found

    def _is_own(self, at: int) -> bool:
        """Whether the words at a place are the beginning of something's own name, such as `left glove`."""
        names = [name.lower().split() for name in (*things_here(self._table), *self._table.places)]
        return any(len(name) > 1 and self.words[at : at + len(name)] == name for name in names)

    def _at(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ''

    def _follows(self, at: int, phrases: Sequence[str]) -> bool:
        return self._skip(at, phrases) > at

    def _skip(self, at: int, phrases: Sequence[str], *, many: bool = False) -> int:
        """Where the longest of some phrases that stands at a word ends; the same word if none does."""
        while True:
            ends = [
                at + len(phrase.split())
                for phrase in phrases
                if self.words[at:][: len(phrase.split())] == phrase.split()
            ]
            end = max(ends, default=at)
            if end == at or not many:
                return end
            at = end


_NOT_NOUNS = any_of(
    'in into on onto to from and or then is are at of that which not but except please too now as with unless if when '
    'until while the my your a an me you it them us next beside alongside adjacent close closest near by behind '
    'between standing lying sitting touching furthest directly left right front back middle for there here leftmost '
    'rightmost'
) | {*',;.!?'}
