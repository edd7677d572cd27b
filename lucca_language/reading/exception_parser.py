"""Parser of exceptions, such as `except the lemon` and `but not the red ones and not the cube`."""

from collections.abc import Sequence
from dataclasses import replace

from lucca_language.reading.noun_phrase import NounPhrase, kind_of_any
from lucca_language.reading.program import FITTING_RELATIONS
from lucca_language.reading.relative_clauses import RelativeClauseParser
from lucca_language.reading.selectors import Selector, either, with_another
from lucca_language.words.function_words import ARTICLES, PREPOSITIONS
from lucca_language.words.lexicon import Lexicon
from lucca_language.words.morphology import NUMBER_WORDS
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of

DETERMINERS = any_of(
    'the a an all every each any both some everything anything something what whatever this these '
    'those that your my our one two three four five six seven eight nine ten it them'
)


def number(word: str) -> int:
    """The number that a word stands for; 0 for other words."""
    return int(word) if word.isdigit() else NUMBER_WORDS.get(word, 0)


class ExceptionParser(RelativeClauseParser):
    """Reads what noun phrases except."""

    def __init__(self, words: list[str], lexicon: Lexicon, antecedent: NounPhrase | None = None) -> None:
        super().__init__(words, lexicon, antecedent)
        self.earlier: tuple[NounPhrase, ...] = ()
        """the noun phrases of earlier clauses of this sentence for which something is asked"""
        self.excepted: dict[int, list[NounPhrase]] = {}
        """position -> the noun phrases that are excepted there"""
        self.ambiguous: dict[int, str] = {}
        """position -> words that may be an exception or go somewhere"""

    def exceptions(
        self, index: int, among: Sequence[NounPhrase], *, after_place: bool = False
    ) -> tuple[Selector, int] | None:
        """One or more exceptions in a row, as in `but not the saw and not the pear`; see `exception`."""
        found = self.exception(index, among, after_place=after_place)
        while found and (another := self.exception(found[1], among, after_place=after_place)) is not None:
            found = with_another(found[0], another[0], listed=False), another[1]
        return found

    def exception(
        self, index: int, among: Sequence[NounPhrase], *, after_place: bool = False
    ) -> tuple[Selector, int] | None:
        """`except the lemon`, `but not the red ones`, `not the cube`: the objects excluded.

        `among`: the noun phrases that they are excluded from. `after_place`: see `items`.
        """
        start = index + 1 if self.at(index) == ',' else index
        if self.at(start) in any_of('except excluding besides minus'):
            start += 1
        elif self.sees(start, 'but', 'not') or self.sees(start, 'and', 'not'):
            start += 2
        elif (self.at(start) == 'not' and self.at(start + 1) in (*ARTICLES, 'any', 'this', 'that')) or (
            among[-1:]
            and among[-1].universal
            and self.at(start) == 'but'
            and self.at(start + 1) in DETERMINERS
            and (start == index or self._ends_clause(start + 1))
        ):
            start += 1
        else:
            return None
        while self.at(start) in any_of('for of to at that any'):
            start += 1
        if number(self.at(start)) or self.at(start) == 'some':
            return None  # it is not said which one is left out
        items, end = self.items_among(among, start, after_place=after_place, excepted=True)
        if after_place and self.at(start - 1) == 'but':
            behind = self._place_of_its_own(among, start, end)
            if behind not in (0, end) and self.at(index) != ',':
                # `all tools in box 1 but the saw and the fruit in box 2`: the saw, too?
                self.ambiguous[start] = ' '.join(self.words[start - 1 : behind])
            if behind:
                return None  # `all in box 1 but the cup in box 2`
        if not items:
            return self.predicates(start)
        if any(item.pronoun and any(item.selector == other.selector for other in among) for item in items):
            return None  # `the fork in box 2 and the cups in box 1, except it`: it was just asked for
        self.excepted[start] = items
        return either(*(item.selector for item in items)), end

    def items_among(
        self, among: Sequence[NounPhrase], index: int, *, after_place: bool = False, excepted: bool = False
    ) -> tuple[list[NounPhrase], int]:
        """Like `items`, but `the red ones` are of the kinds of these noun phrases."""
        antecedent = self.antecedent
        if self.at(index) not in any_of('it them they this that these those'):
            self.antecedent = replace(among[-1], head=kind_of_any(among)) if among else None
        parsed = self.items(index, after_place=after_place, excepted=excepted)
        self.antecedent = antecedent
        return parsed

    def _place_of_its_own(self, among: Sequence[NounPhrase], start: int, end: int) -> int:
        """The position of a verb or a place behind these noun phrases or all of a list of them; 0 if none follows."""
        _, behind = self.items_among(among, start, excepted=True)
        ends = (end,) if self.at(end) == ',' else (end, behind)
        return next((place for place in ends if self.is_finite(place) or self.at(place) in FITTING_RELATIONS), 0)

    def is_finite(self, index: int) -> bool:
        """Whether the word is a verb that follows a subject."""
        word = self.at(index)
        if word in any_of('is are should must may has have can will does do'):
            return True
        found = verb(word)
        return found is not None and word not in PREPOSITIONS and bool(found.senses & {'belong', 'stay'})

    def _ends_clause(self, index: int) -> bool:
        """Whether no verb follows these noun phrases: `all but the lemon`, not `all, but the lemon stays`."""
        items, end = self.items(index)
        following = self.at(end)
        return bool(items) and (following in any_of('$ , and then') or following in PREPOSITIONS)
