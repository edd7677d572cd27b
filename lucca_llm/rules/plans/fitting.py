"""Which objects a demand may have: those that its words mean, and that no other part of the text forbids."""

from collections.abc import Mapping, Sequence

from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Directive
from lucca_language.reading.selectors import (
    Knowledge,
    ListedObject,
    Noun,
    Selector,
    without_exceptions,
    without_looks,
)
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.kinds.categories import Sorted, is_excepted_by_name, names
from lucca_llm.rules.kinds.category import is_category
from lucca_llm.rules.plans.demands import NAMES_AN_OBJECT, Demand, is_unknown_needed
from lucca_llm.rules.prompts.action_matching import ActionText, ends_in, is_its_place, lasts, match_action
from lucca_llm.rules.prompts.task_plan import OUT_OF_SIGHT, ReportedProhibition, ReportedState


class Fitting:
    """The objects that fit the demands of a text. The planner sets `demands`, `sorted` and `knowledge` on its way."""

    def __init__(
        self,
        situation: ReportedState,
        actions: Mapping[str, ActionText],
        knowledge: Knowledge,
        directives: Sequence[Directive],
    ) -> None:
        """Args:
        situation: the reported state.
        actions: the actions by name.
        knowledge: what words mean here.
        directives: the directives that hold.
        """
        self.situation = situation
        self.actions = actions
        self.knowledge = knowledge
        self.directives = directives
        self.demands: list[Demand] = []
        self.sorted = Sorted()

    def action(self, directive: Directive) -> str | None:
        """The name of the action that a directive asks for, or None."""
        return match_action(self.situation.actions, directive.verb, directive.senses, directive.target)

    def fits(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether a demand may have an object, as far as its words and the rest of the text say."""
        chosen = self.sorted.chosen.get(thing.name)
        if claim.lasting and is_category(claim.item) and (chosen is not None or thing.name in self.sorted.unsure):
            if chosen is None or chosen.item is not claim.item or chosen.action != claim.action:
                return False
        elif not self.means(claim.item.selector, thing):
            return False
        if claim.item.is_rest and not is_category(claim.item) and thing.name in self.sorted.unsure:
            return False
        if thing not in self.situation.on_table and not self.is_done(claim, thing):
            return False
        if claim.lasting and is_its_place(self.actions[claim.action], thing.name):
            return False  # `everything into the bowl` means all but the bowl
        return not self.forbids(claim, thing) and not self._is_excepted_elsewhere(claim, thing)

    def _is_excepted_elsewhere(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether an exception at the end, attached to the last kind, means an object of this one.

        `tools in box 1 and footwear in box 2, except the hammer`: the hammer is no footwear.
        """
        if not claim.lasting or not is_category(claim.item) or names(claim.item.head, thing):
            return False
        return any(
            other is not claim
            and is_excepted_by_name(thing, other.item, self.knowledge)
            and not self.knowledge.matches(without_exceptions(other.item.selector), thing)
            for other in self.demands
        )

    def is_done(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether what a demand asks for was done with an object."""
        if thing in self.situation.on_table:
            return not claim.lasting and (claim.action, thing.name) in self.situation.done
        if (claim.action, thing.name) in self.situation.done:
            return True
        return ends_in(self.actions[claim.action], thing.place)

    def means(self, selector: Selector, thing: ListedObject) -> bool:
        """Whether a selector means an object.

        An object out of sight is listed without its looks, so these exclude it from no demand, unless another demand
        names it.
        """
        if self.knowledge.matches(selector, thing):
            return True
        if thing.attributes or not thing.place.startswith(OUT_OF_SIGHT):
            return False
        named = any(self.knowledge.matches(claim.item.selector, thing) for claim in self.demands)
        return not named and self.knowledge.matches(without_looks(selector), thing)

    def prohibition_of(self, claim: Demand, thing: ListedObject) -> ReportedProhibition | None:
        """The prohibition that rules out what a demand asks for with an object on the table; None if there is none."""
        action = self.actions[claim.action]
        if not lasts(action) or thing not in self.situation.on_table:
            return None
        for prohibition in self.situation.prohibited:
            if thing.name in prohibition.names and (not prohibition.place or ends_in(action, prohibition.place)):
                return prohibition
        return None

    def forbids(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether another directive, or a prohibition, forbids what a demand asks for with an object."""
        if self.prohibition_of(claim, thing) is not None:
            return True
        for directive in self.directives:
            if directive.kind == 'do' or not self._concerns(directive, claim.action):
                continue
            items = [item for item in directive.items if not item.is_rest and not is_unknown_needed(item)]
            if not items:
                continue
            hits = [item for item in items if self._is_barred(claim, directive, item, thing)]
            if (
                directive.kind == 'only'
                and not hits
                and not (
                    directive.target is None
                    and 'use' not in directive.senses
                    and self._named_elsewhere(directive, claim, thing)
                )
            ):
                return True
            if directive.kind == 'dont' and hits and not self._outranks(claim, directive, hits):
                return True
        return False

    def _named_elsewhere(self, directive: Directive, claim: Demand, thing: ListedObject) -> bool:
        return (
            claim.directive is not directive and claim.item.specific >= NAMES_AN_OBJECT and claim.directive.kind == 'do'
        )

    def may_be_forbidden(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether what forbids an object to a demand names only a part of it, so that it may mean another one."""
        barring = [item for directive in self.directives if directive.kind == 'dont' for item in directive.items]
        certain = any(self.knowledge.matches(item.selector, thing) for item in barring)
        return not certain and self.forbids(claim, thing) and self.prohibition_of(claim, thing) is None

    def _is_barred(self, claim: Demand, directive: Directive, item: NounPhrase, thing: ListedObject) -> bool:
        """Whether a noun phrase of what forbids or limits means an object. What forbids is read widely."""
        if directive.kind == 'dont' and not self._is_called(claim, thing):
            return self.knowledge.may_match(item.selector, thing)
        return self.knowledge.matches(item.selector, thing)

    def _is_called(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether a demand names an object by its whole name, so that no word of that name forbids it."""
        return isinstance(claim.item.head, Noun) and claim.item.head.word == lexicon().singular(thing.label)

    def _outranks(self, claim: Demand, directive: Directive, hits: list[NounPhrase]) -> bool:
        """`Leave the cubes, but put the red cube in the box`: the narrower noun phrase wins."""
        later = self.directives.index(claim.directive) > self.directives.index(directive)
        broad = max(item.specific for item in hits)
        return later and claim.item.specific > broad and claim.item.specific >= NAMES_AN_OBJECT

    def _concerns(self, directive: Directive, action: str) -> bool:
        if directive.senses & {'keep', 'use'} and directive.target is None:
            return True
        found = self.action(directive)
        if found is not None:
            return found == action
        return directive.target is None and ('place' in directive.senses and lasts(self.actions[action]))

    def rules_out(self, claim: Demand, thing: ListedObject) -> bool:
        """Whether a demand means an object that another directive forbids it."""
        return self.means(claim.item.selector, thing) and self.forbids(claim, thing)
