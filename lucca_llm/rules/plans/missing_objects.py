"""What a plan lacks: objects that a text asks for and that are not here, or lie where nothing can be taken out."""

import re
from collections.abc import Sequence

from lucca_language.reading.bare_kinds import is_among_kinds, is_bare_singular
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import (
    Anything,
    Knowledge,
    ListedObject,
    Named,
    Not,
    Noun,
    Quality,
    Selector,
    walk,
)
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.kinds.category import Category
from lucca_llm.rules.plans.demands import Demand
from lucca_llm.rules.prompts.task_plan import OUT_OF_SIGHT, ReportedState

_ALL = re.compile(r'^(?:all (?:of )?(?:the |my |our |your |these |those )?|every |each |any |the )', re.IGNORECASE)
_ARRANGING = any_of('arrange organise organize sort tidy clear clean group separate distribute position set lay')


class MissingObjects:
    """The demands for which objects are missing, once each demand has the objects that it gets."""

    def __init__(
        self,
        claims: Sequence[Demand],
        situation: ReportedState,
        knowledge: Knowledge,
        directives: Sequence[Directive],
        heard: Sequence[Category],
    ) -> None:
        """Args:
        claims: all demands.
        situation: the reported state.
        knowledge: what words mean here.
        directives: the directives that hold.
        heard: the kinds that were sorted by their meaning.
        """
        self._claims = claims
        self._situation = situation
        self._things = (*situation.on_table, *situation.elsewhere)
        self._knowledge = knowledge
        self._directives = directives
        self._heard = heard

    def texts(self) -> list[str]:
        """Noun phrases for objects that are missing. A category may be empty."""
        concerned = any(claim.names for claim in self._claims)
        return list(
            dict.fromkeys(
                self._text(claim.item)
                for claim in self._claims
                if self._is_missing(claim, concerned) and not self._in_places(claim)
            )
        )

    def unseen_kinds(self) -> list[str]:
        """Kinds that a text asks for besides other things, and of which nothing is here: `tools` for `all tools`."""
        asked = (claim.item for claim in self._claims if not (claim.directive.weak or claim.item.is_rest))
        unseen = (item for item in asked if not isinstance(item.head, Anything | Named) and not item.pronoun)
        return list(dict.fromkeys(_ALL.sub('', item.text) for item in unseen if not self._is_seen(item)))

    def _is_seen(self, item: NounPhrase) -> bool:
        """Whether anything is here that is called so, excepted or not, and meeting its condition or not."""
        parts = list(walk(item.selector))
        is_narrowed = any(isinstance(part, Not) for part in parts) or not all(
            _is_said(part, item) for part in parts if isinstance(part, Quality)
        )
        called = item.head if is_narrowed else item.selector
        return any(self._knowledge.matches(called, thing) for thing in self._things)

    def _text(self, item: NounPhrase) -> str:
        """How an object was called, also where a pronoun asks for it: `take the pear in box 2 and put it in box 1`."""
        named = (other for directive in self._directives for other in directive.items if not other.pronoun)
        alike = (other.text for other in named if item.pronoun and other.selector == item.selector)
        return next(alike, item.text)

    def kept(self) -> list[tuple[str, str]]:
        """(name, place) of requested objects that cannot be taken out of their place."""
        concerned = any(claim.names for claim in self._claims)
        found = [
            (thing.name, thing.place)
            for claim in self._claims
            if self._is_missing(claim, concerned)
            for thing in self._in_places(claim)
        ]
        return list(dict.fromkeys(found))

    def _in_places(self, claim: Demand) -> list[ListedObject]:
        """Objects in a container, on the tower or with the user that meet a demand."""
        return [
            thing
            for thing in self._situation.elsewhere
            if thing.name not in claim.names
            and not thing.place.startswith(OUT_OF_SIGHT)
            and self._knowledge.matches(claim.item.selector, thing)
        ]

    def _is_missing(self, claim: Demand, concerned: bool) -> bool:
        item = claim.item
        if claim.fitting + self._situation.unnamed < item.stated:
            return True
        if claim.names:
            return item.count is not None and len(claim.names) < (claim.wanted or 0) and not item.universal
        if claim.wanted == 0:
            return False  # all of them were handed over
        if self._is_named_in_vain(claim):
            return True
        step = claim.directive.weak and claim.directive.target is None
        all_left = item.is_rest and item.count is None  # unlike `the other cube` or `another one`
        if all_left or step or any(heard.item is item for heard in self._heard):
            return False  # one kind of several for several places may be empty
        if concerned and claim.directive.target is None and claim.directive.verb in _ARRANGING:
            return False  # `Arrange a fruit bowl.` before the rules that say how
        if item.count is not None and not item.universal and not item.pronoun:
            return not any(self._is_elsewhere(claim, thing) for thing in self._things)
        if isinstance(item.head, Named):
            return True
        if is_bare_singular(item) and not is_among_kinds(item, claim.directive, self._directives):
            return True  # `shoe` or `red shoe` without an article is not a kind
        # `Every can`: missing cans are reported only if nothing else was asked for. `The fruit` refers to something
        # that is here, unlike `every fruit`.
        is_definite = item.definite and not item.universal and not item.is_rest
        return not concerned and (is_definite or not self._head_is_there(item) or self._is_only_kind(item))

    def _is_only_kind(self, item: NounPhrase) -> bool:
        """Whether a kind of which nothing is seen anywhere is all that a text asks for: `put all fruit in the bowl`.

        That there is nothing to do would be a guess: what is meant may have a name of which the kind is not known.
        """
        asked = [claim for claim in self._claims if not claim.directive.weak]
        begun = self._situation.done or self._situation.unnamed
        is_any = isinstance(item.head, Anything) and item.selector == item.head
        # For `put the hammer in box 1 if it is red`, a hammer of another colour leaves nothing to do.
        is_seen = any(self._knowledge.matches(item.head, thing) for thing in self._things)
        parts = list(walk(item.selector))
        is_excepted = any(isinstance(part, Not) for part in parts)
        is_condition = item.definite and not any(_is_said(part, item) for part in parts)
        may_be_none = is_any or (is_seen and (is_excepted or is_condition))
        return len(asked) == 1 and not begun and not may_be_none and bool(self._situation.on_table)

    def _is_named_in_vain(self, claim: Demand) -> bool:
        """Whether a demand for `pens` beside certain objects, as in `the cube and the pens`, finds none of its kind.

        One kind beside other kinds may be empty: a rule for several kinds holds on a day without one of them.
        """
        item = claim.item
        step = claim.directive.weak and claim.directive.target is None
        heard = any(heard.item is item for heard in self._heard)
        if item.universal or item.count is not None or step or heard or claim.directive.kind != 'do':
            return False
        certain = [_is_certain(other.item) for other in self._claims if other.item is not item]
        if not (any(certain) if item.definite else certain and all(certain)):
            return False
        named = item.head if item.is_rest else item.selector
        return not any(self._knowledge.matches(named, thing) for thing in self._things)

    def _is_elsewhere(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether the object is on the table, but excluded or taken by another directive."""
        return thing in self._situation.on_table and self._knowledge.matches(claim.item.selector, thing)

    def _head_is_there(self, item: NounPhrase) -> bool:
        if isinstance(item.head, Anything) or (isinstance(item.head, Noun) and lexicon().is_category(item.head.word)):
            return True
        return any(self._knowledge.matches(item.head, thing) for thing in self._things)


def _is_said(part: Selector, item: NounPhrase) -> bool:
    """Whether it is a quality in the words of an item, unlike one of its condition: `the hammer … if it is red`."""
    return isinstance(part, Quality) and part.word in item.text.lower().split()


def _is_certain(item: NounPhrase) -> bool:
    """Whether it means a certain number of objects, as `the cube`, `two cubes` or a proper name, and not a kind."""
    counted = item.count is not None and not item.universal and not item.is_rest
    return counted or isinstance(item.head, Named)
