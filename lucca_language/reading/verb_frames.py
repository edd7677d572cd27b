"""Verbs with special frames: `fill … with …`, `build … out of …`, `use only …`, `leave …`, `start with …`."""

from lucca_language.reading.clause_state import PLACED, ClauseState
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.noun_phrase_parser import NounPhraseParser
from lucca_language.reading.program import Destination
from lucca_language.reading.selectors import Named, Noun
from lucca_language.words.verbs import Verb, target_words, verb
from lucca_language.words.word_sets import any_of

_USED = Verb('use', frozenset({'use'}))
_KEPT = Verb('leave', frozenset({'keep'}))
_STAYING = any_of('leave keep let')
"""Verbs that ask for a place, as in `leave the cup in box 1`; in `ignore the cup in box 1`, it is where the cup is."""


class VerbFrames(ClauseState):
    """Mixin of ClauseParser for verbs with special frames."""

    def _ordered(self, index: int, found: Verb, negated: bool) -> int | None:
        """`start with the yellow ones`, `begin by pointing at …`, `go on with …`, `finish with …`."""
        words = self.phrases
        while words.at(index) in any_of('on off out over up'):
            index += 1
        if 'start' not in found.senses:
            self.stage += 1
        if words.at(index) in any_of('with to at by from in'):
            index += 1
        inner = verb(words.at(index))
        if inner is not None and (words.at(index).endswith('ing') or words.at(index - 1) == 'to'):
            return self.imperative(index, inner, negated=negated)
        items, end = words.items(index)
        if not items or items[0].vague:
            return self._skip(index)
        if self.verb is None:
            self.remember(items)
            return self._skip(end)
        if 'start' in found.senses:
            self.stage -= 0.5
        behind = self.finish('do', self.verb, items, self.target, end)
        if 'start' in found.senses:
            self.stage += 1
        return behind

    def _is_place_with(self, index: int) -> bool:
        place = self.phrases.place(index)
        return place is not None and self.phrases.at(place[1]) == 'with'

    def _fill(self, index: int, kind: str) -> int | None:
        """`fill the bowl with fruit`: the place comes first, then the objects after `with`."""
        words = self.phrases
        place = words.place(index)
        if place is None:
            return None
        target = Destination(tuple(place[0].split()))
        self.goal = target
        if words.at(place[1]) != 'with':
            return self._skip(place[1])
        items, end = words.items(place[1] + 1)
        if not items:
            return self._skip(place[1])
        return self.finish(kind, PLACED, items, target, end)

    def _build(self, index: int, kind: str, given_items: list[NounPhrase] | None) -> int | None:
        """`build a tower out of the red cubes`, `make a stack with …`. Without objects, sets the place of later
        ones."""
        words = self.phrases
        if given_items:
            targets, _, end = self.places(index)
            if targets:
                return self.finish(kind, PLACED, given_items, targets[-1], end)
            return self._skip(index)
        start = index
        while words.at(start) in any_of('a an the one big high tall colourful small coloured'):
            start += 1
        items: list[NounPhrase] = []
        place = words.place(start)
        if place is None:
            return self._skip(index)
        name, end = place
        parts = name.split()
        if len(parts) > 1 and parts[-1] in target_words():
            items, _ = NounPhraseParser(parts[:-1], self.lexicon).items(0)  # `a cube tower`
        if target_words().get(parts[-1]) is None:
            return self._skip(index)
        target = Destination((parts[-1],), 'on')
        self.goal = target
        self.verb, self.target = PLACED, target
        if words.at(end) in any_of('out from of with using by'):
            while words.at(end) in any_of('out from of with using by'):
                end += 1
            inner = verb(words.at(end))
            if inner is not None and words.at(end).endswith('ing') and words.at(end - 1) == 'by':
                return self.imperative(end, inner)
            items, end = words.items(end)
        if not items:
            return self._skip(end)
        return self.finish(kind, PLACED, items, target, end)

    def _point_words(self, index: int) -> int:
        """Position after `your finger at`, `to`, `me` and the like."""
        words = self.phrases
        while words.at(index) in any_of(
            'your a an the index finger fingers hand arm at to toward towards out on me us user person over'
        ):
            if words.at(index) in any_of('a an the your') and words.at(index + 1) not in any_of(
                'index finger hand arm user person'
            ):
                break
            index += 1
        return index

    def _recipient(self, index: int) -> int | None:
        """Position after `me` or `the user`; None if no person follows."""
        words = self.phrases
        start = index + 1 if words.at(index) in any_of('the your my this') else index
        if target_words().get(words.at(start)) != 'user':
            return None
        return start + 1

    def _use(self, index: int, kind: str, only: bool, given: list[NounPhrase] | None) -> int | None:
        """`use only cubes`, `use nothing but cubes`, `do not use black ones`, `use the red cubes for the tower`."""
        words = self.phrases
        items, end = (given, index) if given else words.items(index)
        if not items:
            return self._skip(index)
        items = self._limited(items, only)
        names = [
            part.name.split()[0] if isinstance(part, Named) else part.word
            for part in (items[0].head,)
            if isinstance(part, Named | Noun)
        ]
        if (
            words.at(end) == 'for'
            and names
            and names[0] in target_words()
            and (place := words.place(index)) is not None
        ):
            inside, behind = words.items(end + 1)  # `use box 1 for the tools`
            if inside:
                return self.finish(kind, PLACED, inside, Destination(tuple(place[0].split())), behind)
        target = None
        if words.at(end) in any_of('for to in on'):
            start = end + 1
            inner = verb(words.at(start))
            if inner is not None and words.at(end) in ('for', 'to'):
                if words.at(end) == 'to' and words.items(start + 1)[0] and 'build' not in inner.senses:
                    return self.imperative(start, inner)  # `use your arms to stack the cubes`
                start += target_words().get(words.at(start)) is None
            if (place := words.place(start)) is not None and place[0].split()[-1] in target_words():
                target, end = (
                    Destination((place[0].split()[-1],), 'on')
                    if not place[0][-1].isdigit()
                    else Destination(tuple(place[0].split())),
                    place[1],
                )
        used = _USED
        if kind == 'do' and any(item.polarity == 'some' for item in items):
            if target is None and self.goal is None:
                return self._skip(end)
            used, target = PLACED, target or self.goal
        return self.finish(kind, used, items, target, end)

    def _keep(self, index: int, found: Verb, items: list[NounPhrase], negated: bool) -> int:
        """`leave the lemon on the table`, `ignore cubes`, `do not touch the cup`, `keep the apple out of the bowl`."""
        words = self.phrases
        outside = words.at(index) in ('out', 'away', 'from')
        while words.at(index) in any_of('out of away from'):
            index += 1
        if outside:
            place = words.place(index)
            target = Destination(tuple(place[0].split())) if place is not None else None
            self.emit('dont', PLACED if target is not None else _KEPT, items, target)
            return place[1] if place is not None else index
        targets, _, end = self.places(index)
        if targets and not negated and found.lemma in _STAYING:
            return self.finish('do', PLACED, items, targets[-1], end)
        self.emit('dont', _KEPT, items, None)
        return self._skip_place(end) if words.at(end) in any_of('where as alone in') else end
