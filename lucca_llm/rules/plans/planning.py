"""Plans: the actions that a program still needs, in order, for the objects that a text reports."""

from collections.abc import Sequence
from dataclasses import replace

from lucca_language.reading.clause_state import TAKING
from lucca_language.reading.program import Directive, Presence, Program
from lucca_language.reading.selectors import (
    Anything,
    Knowledge,
    ListedObject,
    Noun,
    Or,
    either,
    without_exceptions,
)
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.kinds.categories import sort_by_meaning
from lucca_llm.rules.kinds.category import Category, is_category
from lucca_llm.rules.plans.ambiguity import Ambiguity, is_mass_category
from lucca_llm.rules.plans.demands import (
    Demand,
    by_label,
    is_general,
    is_stacking,
    is_unknown_needed,
    may_own,
    owned_part,
    places_alike,
    unknown_place,
    where_it_can_go,
    with_needed,
    wording,
)
from lucca_llm.rules.plans.fitting import Fitting
from lucca_llm.rules.plans.missing_objects import MissingObjects
from lucca_llm.rules.plans.plan_order import calls_in_order, in_time
from lucca_llm.rules.prompts.action_matching import hands_over, is_its_place, lasts
from lucca_llm.rules.prompts.joined_names import alphabetical_key
from lucca_llm.rules.prompts.task_plan import ReportedState, TaskPlan


def make_plan(
    program: Program, situation: ReportedState, *, avoid: frozenset[tuple[str, str]] = frozenset()
) -> TaskPlan:
    """The plan for a reported state. `avoid`: actions that just failed; other objects are preferred if they will do."""
    return _Planner(program, situation, avoid).plan()


class _Planner:
    def __init__(self, program: Program, situation: ReportedState, avoid: frozenset[tuple[str, str]]) -> None:
        self.avoid = avoid
        situation = replace(
            situation, actions=tuple(action.at_one_of(situation.places) for action in situation.actions)
        )
        self.situation = situation
        self.actions = {action.name: action for action in situation.actions}
        self.things = (*situation.on_table, *situation.elsewhere)
        labels = {thing.label for thing in self.things}
        stated = [by_label(with_needed(item, program.needed), labels) for item in program.directives]
        meanings = dict(program.meanings)
        if program.needed:
            meanings['needed'] = either(*(item.selector for item in program.needed))
        knowledge = Knowledge(
            lexicon(), meanings, program.no_colours, frozenset(lexicon().singular(thing.label) for thing in self.things)
        )
        self.program = program
        held = [item for item in stated if all(self._holds(given, knowledge) for given in item.given)]
        self.directives, contradictory = in_time(held, knowledge, self.things)
        self.fitting = Fitting(situation, self.actions, knowledge, self.directives)
        self.ambiguity = Ambiguity(self.fitting)
        self.conditional = len(self.directives) < len(stated)
        self.impossible = [f'{item.text}, which would have to wait for itself' for item in contradictory]
        self.prohibited: dict[str, None] = {}
        self.lacking: list[Demand] = []  # what is prohibited and should be below other objects
        self.left_out: dict[str, None] = {}
        self.ambiguous: list[tuple[str, tuple[str, ...]]] = []

    def _holds(self, condition: Presence, knowledge: Knowledge) -> bool:
        """Whether the objects here, wherever they are, meet a condition, so that no action changes it."""
        return any(knowledge.matches(condition.selector, thing) for thing in self.things) is condition.wanted

    def plan(self) -> TaskPlan:
        claims, unresolved = self._claims()
        self.fitting.demands = claims
        self.fitting.sorted = sort_by_meaning(
            self.things,
            [Category(claim.item, claim.action) for claim in claims if self._sorts(claim)],
            self.fitting.knowledge,
            self._may_take,
            others_placed=any(claim.item.is_rest and isinstance(claim.item.head, Anything) for claim in claims),
        )
        plain = [claim for claim in claims if not claim.item.is_rest]
        self._assign(plain)
        mentioned = {name for claim in plain for name in claim.names}
        self.fitting.knowledge = replace(self.fitting.knowledge, is_rest=lambda thing: thing.name not in mentioned)
        rest = [claim for claim in claims if claim.item.is_rest]
        self._assign(rest, taken={name for claim in plain if claim.lasting for name in claim.names})
        self._note_impossible(unresolved, claims)
        self._note_prohibited(claims)
        lacking = {id(claim) for claim in self.lacking}
        to_do = calls_in_order(claims, self.fitting, lacking, self.program)
        self._note_out_of_reach(claims, list(to_do))
        self._note_unclear_exceptions(claims)
        self._note_contradictions(claims)
        by_meaning, knows = self.fitting.sorted, self.fitting.knowledge
        missing = MissingObjects(claims, self.situation, knows, self.directives, by_meaning.heard)
        return TaskPlan(
            to_do=tuple(to_do),
            steps=tuple(to_do.values()),
            missing=tuple(missing.texts()),
            unseen_kinds=tuple(missing.unseen_kinds()),
            kept=tuple(missing.kept()),
            impossible=tuple(self.impossible),
            prohibited=tuple(self.prohibited),
            left_out=tuple(self.left_out),
            ambiguous=tuple(dict.fromkeys(self.ambiguous)),
            unsure=tuple(thing.name for thing in self.situation.on_table if thing.name in by_meaning.unsure),
            by_meaning=by_meaning.words(),
            wording={claim.action: wording(claim.directive) for claim in reversed(claims)},
            understood=bool(claims) or bool(self.impossible or self.prohibited) or self.conditional,
            begun=bool(self.situation.done) or self._begun(claims),
        )

    def _sorts(self, claim: Demand) -> bool:
        """Whether a demand says what belongs in a place."""
        return claim.lasting and not hands_over(self.actions[claim.action]) and is_category(claim.item)

    def _may_take(self, category: Category, thing: ListedObject) -> bool:
        """Whether an object may go to the place of a category as far as text and scene show."""
        return not is_its_place(self.actions[category.action], thing.name)

    def _begun(self, claims: Sequence[Demand]) -> bool:
        by_name = {thing.name: thing for thing in self.things}
        return any(self.fitting.is_done(claim, by_name[name]) for claim in claims for name in claim.names)

    # -- what the directives ask for ------------------------------------------------------------------------------

    def _claims(self) -> tuple[list[Demand], list[Directive]]:
        """The demands of the directives that an action fits, and the directives that none fits."""
        resolved: list[tuple[Directive, str]] = []
        unresolved: list[Directive] = []
        for directive in self.directives:
            if directive.kind == 'do' and directive.items:
                action = self.fitting.action(directive)
                if action is not None:
                    resolved.append((directive, action))
                else:
                    unresolved.append(directive)
        taken = {action for _, action in resolved}
        for directive in self.directives:
            if directive.kind == 'only' and 'use' not in directive.senses:
                action = self.fitting.action(directive)
                if action is not None and action not in taken:
                    resolved.append((directive, action))
        if not resolved:
            for directive in self.directives:
                if directive.kind == 'only' and (action := self.fitting.action(directive) or self._sole_action()):
                    resolved.append((directive, action))
        claims = [
            Demand(directive, item, action, lasts(self.actions[action]))
            for directive, action in resolved
            for item in directive.items
        ]
        definite = {claim.action for claim in claims if not claim.item.vague}
        return [
            claim
            for number, claim in enumerate(claims)
            if not (claim.item.vague and claim.action in definite)
            and not is_unknown_needed(claim.item)
            and not any(claim.repeats(other) for other in claims[:number])
        ], unresolved

    def _sole_action(self) -> str | None:
        return next(iter(self.actions)) if len(self.actions) == 1 else None

    def _note_impossible(self, unresolved: list[Directive], claims: list[Demand]) -> None:
        """Notes the directives that no action fits, unless other directives say where their objects go."""
        claimed = {name for claim in claims for name in claim.names}
        for directive in unresolved:
            if directive.weak and directive.target is None:
                # `Take the cup and the mug, and put the cup in box 1`: the mug needs a place, too.
                taken = directive.verb in TAKING
                later = [claim for claim in claims if not taken or self._is_before(directive, claim.directive)]
                if self._leads_on(directive, {name for claim in later for name in claim.names}):
                    self._note_unclear_step(directive, later)
                else:
                    self.impossible.append(f'{directive.text}{where_it_can_go(self.situation.actions)}')
                continue
            several = directive.target is None or lexicon().is_plural(directive.target.words[-1])
            if several and all(is_general(item) for item in directive.items):
                continue  # `sort the objects`, `put the things into two boxes`
            if directive.senses <= {'talk'}:
                continue
            # A general `Sort the fruit.` before the rules adds nothing; `and then put it back` after them does.
            comes_first = any(self._is_before(directive, claim.directive) for claim in claims)
            general = comes_first and 'other' not in directive.senses and several
            meant = {
                thing.name
                for thing in self.things
                for item in directive.items
                if not item.is_rest and self.fitting.knowledge.matches(item.selector, thing)
            }
            if general and meant and meant <= claimed:
                continue
            if alike := places_alike(directive, self.situation.places):
                self.ambiguous.append(alike)
            else:
                self.impossible.append(f'{directive.text}{unknown_place(directive, self.situation.places)}')

    def _leads_on(self, directive: Directive, claimed: set[str]) -> bool:
        """Whether other directives say where all objects of this one go."""
        for item in directive.items:
            if item.is_rest or is_general(item):
                continue
            meant = {thing.name for thing in self.things if self.fitting.knowledge.matches(item.selector, thing)}
            begun = self.situation.done or self.situation.unnamed
            if not begun and not meant and not item.universal:
                return False  # `pick up the pink block`, and there is none
            if len(meant & claimed) < min(len(meant), item.count or len(meant)):
                return False
        return True

    def _note_unclear_step(self, directive: Directive, later: Sequence[Demand]) -> None:
        """Notes objects that a step may mean, if no later demand names them: `take the cup and put a cup in box 1`."""
        if self.situation.done or self.situation.unnamed:
            return
        named = {name for claim in later if claim.item.definite for name in claim.names}
        for item in directive.items:
            meant = [thing for thing in self.situation.on_table if self.fitting.knowledge.matches(item.selector, thing)]
            may_be = self.ambiguity.may_be(item, meant, directive)
            if len(may_be) > 1 and named.isdisjoint(thing.name for thing in may_be):
                self.ambiguous.append((item.called, tuple(thing.name for thing in may_be)))

    def _is_before(self, directive: Directive, other: Directive) -> bool:
        return self.directives.index(directive) < self.directives.index(other)

    def _note_out_of_reach(self, claims: Sequence[Demand], to_do: Sequence[tuple[str, str]]) -> None:
        """Notes demands for objects that another directive has moved by then, as nothing is taken out again."""
        moved: set[str] = set()
        late: set[tuple[str, str]] = set()
        for action, name in to_do:
            late |= {(action, name)} if name in moved else set()
            moved |= {name} if lasts(self.actions[action]) else set()
        for claim in claims:
            short = not claim.names or (claim.wanted is not None and len(claim.names) < claim.wanted)
            if claim.item.is_rest or claim.directive.weak:
                continue
            if (claim.lost and short) or any((claim.action, name) in late for name in claim.names):
                asked = wording(claim.directive).format(claim.item.text)
                self.impossible.append(f'{asked}, after it was moved elsewhere')

    def _note_unclear_exceptions(self, claims: Sequence[Demand]) -> None:
        """Notes what may be the one that stays: `all cups except the red one`, and two of them are red."""
        asked = [without_exceptions(claim.item.selector) for claim in claims if not claim.directive.weak]
        moved = {name for claim in claims for name in claim.names}
        kept = [
            item
            for directive in self.directives
            if directive.kind == 'dont'
            for item in directive.items
            if item.definite or 'keep' in directive.senses  # `do not move a cup` means none of them
        ]
        for item in (*self.program.excepted, *kept):
            is_either = isinstance(item.selector, Or)  # `neither the pear nor the saw` names each
            if not item.is_single or is_either or item.is_rest or is_mass_category(item.head):
                continue
            may_be = self.ambiguity.named_or_all(
                item,
                [
                    thing
                    for thing in self.situation.on_table
                    if thing.name not in moved
                    and self.fitting.knowledge.matches(item.selector, thing)
                    and any(self.fitting.knowledge.matches(selector, thing) for selector in asked)
                ],
            )
            if len(may_be) > 1:
                self.ambiguous.append((item.called, tuple(thing.name for thing in may_be)))

    def _note_prohibited(self, claims: Sequence[Demand]) -> None:
        """Notes demands that prohibitions rule out, and objects of a wanted kind that they leave out.

        A demand for a certain object, or only for kinds of which nothing is left, is not met in part, but refused.
        """
        another_kind = any(claim.names and self._sorts(claim) for claim in claims)
        for claim in claims:
            meant = [thing for thing in self.situation.on_table if self.fitting.means(claim.item.selector, thing)]
            if claim.wanted is None:
                in_doubt = (thing.name for thing in meant if self.fitting.may_be_forbidden(claim, thing))
                self.left_out.update(dict.fromkeys(in_doubt))
            reasons = {thing.name: self.fitting.prohibition_of(claim, thing) for thing in meant}
            named = {name: reason for name, reason in reasons.items() if reason is not None}
            if not named:
                continue
            wanted = 0 if claim.wanted is None else claim.wanted
            if len(claim.names) < wanted or not (claim.names or (another_kind and self._sorts(claim))):
                for reason in named.values():
                    self.prohibited[f'{wording(claim.directive).format(claim.item.text)}: {reason.reason}'] = None
                self.lacking += [claim] if is_stacking(claim.directive) else []
            elif claim.wanted is None:
                self.left_out.update(dict.fromkeys(named))

    def _note_contradictions(self, claims: Sequence[Demand]) -> None:
        """Notes demands that another directive rules out, and limits `only …` for which there is no action."""
        limits = [directive for directive in self.directives if directive.kind == 'only']
        for claim in claims:
            if any(self.fitting.prohibition_of(claim, thing) for thing in self.situation.on_table):
                continue
            if claim.directive.kind == 'do' and (self._is_forbidden(claim) or (limits and self._is_ruled_out(claim))):
                self.impossible.append(f'{wording(claim.directive).format(claim.item.text)}, which is ruled out')
        unmatched = [item for item in limits if item.target is not None and self.fitting.action(item) is None]
        self.impossible += [item.text for item in unmatched]

    def _is_ruled_out(self, claim: Demand) -> bool:
        """Whether a demand gets nothing because other directives forbid it."""
        return not claim.names and any(self.fitting.rules_out(claim, thing) for thing in self.situation.on_table)

    def _is_forbidden(self, claim: Demand) -> bool:
        """Whether `the mug` is forbidden by another directive, even if a cup could be taken for it.

        A mug for which the demand is met counts as well: once it is moved, only the forbidden one is left on the table.
        """
        if claim.item.count != 1 or not claim.item.definite or claim.item.is_rest:
            return False
        if self.situation.unnamed and hands_over(self.actions[claim.action]):
            return False  # one that was handed over may be the one, and is no longer listed
        here = [
            thing for thing in self.things if thing in self.situation.on_table or self.fitting.is_done(claim, thing)
        ]
        meant = [thing for thing in here if self.fitting.means(claim.item.selector, thing)]
        head = claim.item.head
        called = [thing for thing in meant if isinstance(head, Noun) and f' {thing.label}'.endswith(f' {head.word}')]
        meant = called or meant
        return bool(meant) and all(self.fitting.forbids(claim, thing) for thing in meant)

    # -- which objects --------------------------------------------------------------------------------------------

    def _assign(self, claims: list[Demand], taken: set[str] | None = None) -> None:
        owner: dict[tuple[str, str], Demand] = {}
        taken = taken or set()
        for claim in claims:
            fitting = [
                thing
                for thing in self.things
                if self.fitting.fits(claim, thing)
                and not (claim.lasting and thing.name in taken)
                and self._may_own(claim, owner.get(owned_part(claim, thing)), thing)
            ]
            fitting = [] if self._is_forbidden(claim) else fitting
            open_ones = self.ambiguity.may_belong(claim, fitting)
            if open_ones or self.ambiguity.may_mean_several(claim, fitting) or 0 < claim.item.stated < len(fitting):
                names = dict.fromkeys(thing.name for thing in (*fitting, *open_ones))
                self.ambiguous.append((claim.item.called, tuple(names)))
            claim.fitting, claim.wanted = len(fitting), self._wanted(claim, fitting)
            if claim.wanted is not None:
                fitting = sorted(fitting, key=lambda thing: self._preference(claim, thing))[: claim.wanted]
            if claim.item.by_name:
                fitting = sorted(
                    fitting, key=lambda thing: alphabetical_key(thing.name), reverse=claim.item.by_name < 0
                )
            for thing in fitting:
                if (previous := owner.get(owned_part(claim, thing))) is not None:
                    previous.names.remove(thing.name)
                    if previous.action != claim.action:
                        previous.lost.add(thing.name)
                    elif previous.wanted is not None and (
                        claim.directive.stage < previous.directive.stage or previous.item.definite
                    ):
                        previous.wanted -= 1  # `two blocks, starting with the green one`: it is one of the two
                owner[owned_part(claim, thing)] = claim
                claim.names.append(thing.name)

    def _may_own(self, claim: Demand, previous: Demand | None, thing: ListedObject) -> bool:
        """Whether a demand may have an object. If it loses the object to another action, that is noted."""
        may = may_own(claim, previous)
        if not may and previous is not None and previous.action != claim.action:
            claim.lost.add(thing.name)
        return may

    def _wanted(self, claim: Demand, fitting: list[ListedObject]) -> int | None:
        """How many of the fitting objects are meant, minus those that were handed over and are no longer listed."""
        item = claim.item
        one_named = item.count == 1 and item.definite and not item.text.startswith('one ')
        gone = self.situation.unnamed if hands_over(self.actions[claim.action]) and not one_named else 0
        total = len(fitting) + gone
        if item.half and total % 2:
            self.ambiguous.append((item.text, tuple(thing.name for thing in fitting)))
        counted = item.count
        if item.half or item.left_out:
            counted = total // 2 if item.half else total - item.left_out
        return None if counted is None else max(0, counted - gone)

    def _preference(self, claim: Demand, thing: ListedObject) -> tuple[int, ...]:
        """Sort key of equivalent objects: those done before, then those that have not just failed, then exact names."""
        done = self.fitting.is_done(claim, thing)
        exact = isinstance(claim.item.head, Noun) and thing.label == claim.item.head.word
        return (not done, (claim.action, thing.name) in self.avoid, not exact)
