"""Imperative clauses: a verb with its objects, and the places, exceptions, conditions and order words behind them."""

from dataclasses import replace

from lucca_language.reading.clause_state import TAKING
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import FITTING_RELATIONS, TABLE_WORDS, Destination
from lucca_language.reading.selectors import Not, Noun, both
from lucca_language.reading.subordinate_clauses import SubordinateClauses
from lucca_language.reading.verb_frames import VerbFrames
from lucca_language.words.function_words import PREPOSITIONS
from lucca_language.words.verbs import Verb, target_words
from lucca_language.words.word_sets import any_of

_PARTICLES = any_of('up down away out over back off aside together around in here forward')
_BY_NAME = {'alphabetically': 1, 'unalphabetically': -1}


class ImperativeClauses(VerbFrames, SubordinateClauses):
    """Mixin of ClauseParser for clauses that begin with a verb, and for what follows the objects of any verb."""

    def imperative(
        self,
        index: int,
        found: Verb,
        *,
        negated: bool = False,
        only: bool = False,
        items: list[NounPhrase] | None = None,
    ) -> int | None:
        """Reads a verb with what follows it; see ClauseState."""
        words = self.phrases
        index += 1
        senses, lemma = found.senses, found.lemma
        given = items is not None
        kind = 'dont' if negated else 'do'
        while words.at(index) in _PARTICLES and not (
            words.at(index) in ('over', 'in') and not given and words.at(index + 1) in target_words()
        ):
            if words.at(index) in any_of('in over out off') and (
                (words.place(index + 1) is not None and words.items(index + 1)[0] == []) or given
            ):
                break
            if words.at(index) == 'in':
                break
            index += 1
        if senses & {'start', 'proceed', 'end'} and not given and not (senses & {'belong'} and lemma == 'move'):
            return self._ordered(index, found, negated)
        if lemma == 'fill' or ('fill' in senses and self._is_place_with(index)):
            return self._fill(index, kind)
        if 'build' in senses:
            return self._build(index, kind, given_items=items)
        if words.at(index) == 'only' and words.at(index + 1) in PREPOSITIONS:
            only, index = True, index + 1
        if 'point' in senses:
            index = self._point_words(index)
        elif 'give' in senses and not given:
            recipient = self._recipient(index)
            if recipient is not None:
                parsed, end = words.items(recipient, after_verb=True)
                if parsed:
                    return self.finish(kind, found, self._limited(parsed, only), Destination(('me',), 'to'), end)
        if 'use' in senses and lemma in any_of('use touch handle employ consider'):
            return self._use(index, kind, only, items)
        if lemma in TAKING and words.at(index) == 'for':
            index += 1
        if not given and words.at(index) in PREPOSITIONS and words.at(index) not in any_of('of with for by without'):
            targets, _, end = self.places(index)
            following, behind = words.items(end, after_verb=True)
            if targets and following:
                return self.finish(kind, found, self._limited(following, only), targets[-1], behind)
        if not given:
            if (
                lemma in ('clear', 'tidy', 'clean')
                and words.at(index) in ('the', 'your', 'this')
                and words.at(index + 1) in ('table', 'desk', 'tabletop')
            ):
                return self._skip(index + 2)
            items, index = words.items(index, after_verb=True)
            if items and isinstance(items[0].head, Noun) and items[0].head.word in TABLE_WORDS:
                return self._skip(index)
        if not items:
            if words.at(index) in any_of('$ then and') and not senses & {'talk', 'belong', 'stay', 'need', 'receive'}:
                self.unclear.append(words.at(index - 1))  # `… and gather`: a verb that remains without objects
            self.verb = found if senses & {'point', 'give', 'place', 'stack'} and not senses & {'talk'} else self.verb
            return self._skip(index)
        while words.at(index) in any_of(
            'up down away out alone aside over back off there untouched where behind'
        ) and not (words.sees(index, 'out', 'of') or (words.at(index) == 'back' and not words.at(index + 1))):
            if words.at(index) == 'where':
                index = self._skip(index + 1)
                break
            index += 1
        if 'keep' in senses:
            return self._keep(index, found, items, negated)
        if senses <= {'talk'}:
            self.remember(items)
            return self._skip(index)
        return self.finish(kind, found, self._limited(items, only), None, index)

    def _by_name(self, items: list[NounPhrase], index: int) -> tuple[list[NounPhrase], int]:
        """The items with the order of their names, if that is requested here."""
        order = _BY_NAME.get(self.phrases.at(index), 0)
        return ([replace(item, by_name=order) for item in items], index + 1) if order else (items, index)

    def finish(self, kind: str, found: Verb, items: list[NounPhrase], target: Destination | None, index: int) -> int:
        """Reads places, exceptions, conditions and order words after the objects; then adds the directive."""
        words = self.phrases
        if (
            words.at(index) == ','
            and words.at(index + 1) in FITTING_RELATIONS
            and target is None
            and 'place' in found.senses
        ):
            index += 1  # `the hammer, not the wrench, into box 1`
        items, index = self._by_name(items, index)
        targets, table, index = self.places(index)
        if targets:
            if target is not None and target.is_recipient and not targets[-1].is_recipient:
                self.unclear.append(str(targets[-1]))  # `give me the cup in box 1`: it may be there, or is to go there
            target = targets[-1]
        items, index = self._by_name(items, index)
        if target is not None and target.is_recipient and 'point' in found.senses:
            target = None
        if words.at(index) in ('that', 'which') and (clause := words.relative(index)) is not None:
            items = [replace(item, selector=both(item.selector, clause[0])) for item in items]
            index = clause[1]
        if words.at(index) == 'inorder':
            items, index = self._in_order(items, index + 1)
        after_place = target is not None and not target.is_recipient
        each_has_one, self.excepts_inside = self.each_has_an_exception(), False
        while True:
            before = [] if each_has_one else self.asked_before()
            excluded = words.exceptions(index, (*before, *items), after_place=after_place)
            if excluded is not None and not words.at(excluded[1]):
                if each_has_one:
                    self.except_elsewhere(items, excluded[0])
                else:
                    self.except_before(excluded[0])
            elif excluded is not None:
                excluded = words.exceptions(index, items, after_place=after_place)
                self.excepts_inside = True
            if excluded is not None:
                items = [replace(item, selector=both(item.selector, Not(excluded[0]))) for item in items]
                index = excluded[1]
                continue
            narrowed = self._trailing_condition(items, index)
            if narrowed is None:
                break
            items, index = narrowed
        if target is None and table and not found.senses & {'point', 'give'}:
            kind = 'dont' if kind == 'do' else kind
        start = index + 1 if words.at(index) == ',' else index
        word = words.at(start)
        if words.at(index) in ('first', 'last') and words.at(index + 1) in any_of('$ , and then but'):
            stage = self.stage
            self.stage = stage + (-100 if word == 'first' else 100)
            self.emit(kind, found, items, target)
            self.stage = stage
            return index + 1
        behind = start
        while words.at(behind) in ('but', 'only'):
            behind += 1
        if word in ('before', 'after') or words.at(behind) in ('after', 'when', 'once'):
            return self._relative_order(kind, found, items, target, start)
        if word in ('when', 'once') or (word == 'only' and words.at(start + 1) == 'if'):
            return self._relative_order(kind, found, items, target, start)
        self.emit(kind, found, items, target)
        if (words.at(index) == ',' and words.at(index + 1) in ('starting', 'beginning')) or words.at(index) in (
            'starting',
            'beginning',
        ):
            start = index + 2 if words.at(index) == ',' else index + 1
            start = start + 1 if words.at(start) in any_of('with from at by') else start
            words.antecedent = self.antecedent
            leading, end = words.items(start)
            if leading:
                stage, self.stage = self.stage, self.stage - 0.5
                self.emit(kind, found, leading, target)
                self.stage = stage
                return end
        return index
