"""What is ambiguous: demands whose words may mean one object or another."""

import re
from collections.abc import Sequence

from lucca_language.reading.bare_kinds import is_among_kinds, is_bare_singular, may_be_one
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import ListedObject, Named, Noun, Selector, walk
from lucca_language.words.glosses import IsA, is_a, kinds_above
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.kinds.category import is_category
from lucca_llm.rules.plans.demands import NAMES_AN_OBJECT, Demand
from lucca_llm.rules.plans.fitting import Fitting

_PACKAGES = any_of('bottle can carton box jar bag pack packet tin tub tube')


def is_mass_category(head: Selector) -> bool:
    """Whether a noun names all of a kind even in the singular, as `the kitchenware` does."""
    return isinstance(head, Noun) and lexicon().is_category(head.word) and not lexicon().is_single_category(head.word)


def _may_hold(thing: ListedObject, kind: str) -> bool:
    """Whether an object is a package of what some count among a kind: is a water bottle a drink?"""
    *before, last = map(lexicon().singular, thing.label.split())
    return last in _PACKAGES and any(lexicon().is_a(word, kind) for word in before)


class Ambiguity:
    """Finds the objects that a demand may or may not mean, among those that fit it and the others on the table."""

    def __init__(self, fitting: Fitting) -> None:
        self._fitting = fitting

    def may_belong(self, claim: Demand, fitting: Sequence[ListedObject]) -> list[ListedObject]:
        """Objects that may or may not belong to the category that a demand names: is a Pepsi a drink?"""
        item = claim.item
        if alike := self._of_same_noun(claim, fitting):
            return alike
        kinds = [part.word for part in walk(item.selector) if isinstance(part, Noun)]
        kinds = [kind for kind in kinds if lexicon().is_category(kind)]
        enough = item.count is not None and not item.definite and len(fitting) >= item.count
        # `The red ball` is the one of just that name; `the ball` may be something else as well.
        said = re.sub(r'^(?:the|my|that|this) ', '', item.called.lower())
        named = isinstance(item.head, Noun) and any(
            thing.label == item.head.word or thing.name.lower() == said for thing in fitting
        )
        is_asked = self._is_asked_before(item)
        if kinds and named and item.count is None and not (item.universal or is_asked or self._is_sorted(claim)):
            # `My clothes`, and a thing of just that name lies beside a hat: the hat as well?
            may_be = [thing for thing in fitting if not self._is_taken_by_another(claim, thing)]
            return may_be if len({thing.label for thing in may_be}) > 1 else []
        if not kinds or named or enough or is_asked or (is_category(item) and self._fitting.sorted.chosen):
            return []
        is_one = item.count == 1 and item.definite
        return [
            thing
            for thing in self._fitting.situation.on_table
            if (
                any(self._is_open(thing, kind) for kind in kinds)
                or (thing not in fitting and any(_may_hold(thing, kind) for kind in kinds))
                or (
                    is_one
                    and thing not in fitting
                    and any(self._is_borderline(thing, kind) for kind in kinds)
                    and not self._is_taken_by_another(claim, thing)
                )
            )
            and not self._fitting.forbids(claim, thing)
        ]

    def _is_sorted(self, claim: Demand) -> bool:
        """Whether a demand is one of several that say which kinds belong where: `clothes in box 1, bedding in box 2`.

        Then the clothes are all clothes, even if a thing is called just that.
        """
        return self._names_a_kind(claim) and any(
            self._names_a_kind(other) and other.action != claim.action for other in self._fitting.demands
        )

    def _names_a_kind(self, claim: Demand) -> bool:
        return claim.lasting and not claim.item.definite and is_category(claim.item)

    def _of_same_noun(self, claim: Demand, fitting: Sequence[ListedObject]) -> list[ListedObject]:
        """Objects that a noun may mean as well: a `can of beans` for `the cans`, or bottles for `the drink bottles`.

        The bottles, and a carrot cake for `the carrot`, only if that fits nothing.
        """
        head = claim.item.head
        if not isinstance(head, Noun) or self._is_asked_before(claim.item):
            return []
        part, whole = f'{head.word}-of', head.word.split()
        knows = self._fitting.knowledge
        is_kind = claim.item.count is None and not claim.item.definite  # `crackers` are sorted by their meaning
        here = (*self._fitting.situation.on_table, *self._fitting.situation.elsewhere)
        is_here = is_kind or any(knows.matches(claim.item.selector, thing) for thing in here)
        return [
            thing
            for thing in self._fitting.situation.on_table
            if (
                thing.label.startswith(part)
                or (not fitting and len(whole) > 1 and thing.label.split()[-1] == whole[-1])
                or (not is_here and knows.may_match(claim.item.selector, thing))
            )
            and thing not in fitting
            # Those that sorting is unsure about are asked about one by one, and nothing else waits for them.
            and thing.name not in (*self._fitting.sorted.chosen, *self._fitting.sorted.unsure)
            and not self._fitting.forbids(claim, thing)
        ]

    def _is_open(self, thing: ListedObject, kind: str) -> bool:
        if self._fitting.knowledge.knows(thing):
            return False
        return not kinds_above(thing.label) or is_a(thing.label, kind) is not IsA.NOT

    def _is_borderline(self, thing: ListedObject, category: str) -> bool:
        """Whether some people count an object among a category, and others do not: is an apple a snack?"""
        kinds = lexicon().borderline.get(lexicon().category_of[category], ())
        return any(self._fitting.knowledge.matches(Noun(kind), thing) for kind in kinds)

    def _is_taken_by_another(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether another demand moves just this object: `put the apple in box 1 and give me the snack`."""
        on_table = self._fitting.situation.on_table
        for other in self._fitting.demands:
            if (
                other is claim
                or other.item is claim.item
                or other.item.is_rest
                or not (claim.lasting and other.lasting)
            ):
                continue
            meant = [here for here in on_table if self._fitting.means(other.item.selector, here)]
            named = other.item.specific >= NAMES_AN_OBJECT and other.directive.kind == 'do'
            if named and thing in meant and len(meant) <= (other.item.count or len(meant)):
                return True
        return False

    def may_mean_several(self, claim: Demand, fitting: list[ListedObject]) -> bool:
        """Whether it is unclear which of these objects `the cube` is."""
        if self._is_asked_before(claim.item) or any(self._fitting.is_done(claim, thing) for thing in fitting):
            return False
        return len(self.may_be(claim.item, fitting, claim.directive)) > 1

    def may_be(self, item: NounPhrase, fitting: list[ListedObject], directive: Directive) -> list[ListedObject]:
        """Which of these objects `the cube` or `dumbbell` may be: those of just that name, if there are any."""
        if item.example:
            return []  # objects like it are meant, not one that it names
        is_one = (item.count == 1 and item.definite) or may_be_one(item)
        if not is_one and (not is_bare_singular(item) or is_among_kinds(item, directive, self._fitting.directives)):
            return []
        return self.named_or_all(item, fitting)

    def named_or_all(self, item: NounPhrase, fitting: list[ListedObject]) -> list[ListedObject]:
        """Those of these objects that have just the name, or all if none has it.

        Of `the cup and cup 2`, the first is the one without a number.
        """
        numbered = {
            part.name.rpartition(' ')[0]
            for directive in self._fitting.directives
            for other in directive.items
            for part in walk(other.selector)
            if isinstance(part, Named)
        }
        is_bare = isinstance(item.head, Noun) and item.selector == item.head and item.head.word in numbered
        first = [thing for thing in fitting if is_bare and thing.name.lower() == item.called.removeprefix('the ')]
        if first:
            return first
        named = [thing for thing in fitting if isinstance(item.head, Noun) and thing.label == item.head.word]
        return named or fitting

    def _is_asked_before(self, item: NounPhrase) -> bool:
        """Whether what a pronoun stands for has its own demand, which asks; `take the cup and put it …` has none."""
        return item.pronoun and any(
            not claim.item.pronoun
            and (claim.item.count, claim.item.selector, claim.item.definite)
            == (item.count, item.selector, item.definite)
            for claim in self._fitting.demands
        )
