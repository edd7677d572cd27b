"""The order of a plan: its calls one after another, and which of them may as well come in another order."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from lucca_language.reading.program import Directive, Program
from lucca_language.reading.selectors import Knowledge, ListedObject
from lucca_llm.rules.plans.demands import Demand, is_stacking
from lucca_llm.rules.plans.fitting import Fitting

_HALF = 0.5
"""How many stages what `after` says is before its directive; any other word for an order makes whole ones."""
_LATER = 0.25
"""What a stage is moved by, so that nothing else comes in between."""


def in_time(
    directives: Sequence[Directive], knowledge: Knowledge, things: Sequence[ListedObject]
) -> tuple[list[Directive], list[Directive]]:
    """The directives with stages in which all that waits for something comes after it, and the contradictory ones.

    `Give me the pear only after the apple is in box 1; put the apple in box 1`: the apple comes first, although it is
    asked for last. What the text says to come before or after one of them keeps its place. Directives contradict each
    other if each would have to come before the other.
    """
    asked = [item for item in directives if item.kind == 'do']
    pairs = [
        (clause, item)
        for item in asked
        for clause in asked
        if _is_waited_for(item, clause, asked, knowledge, things)
        and not any(item is first for first in _waiting(clause, asked)[:1])  # `the fruit after the apple`
    ]
    if not pairs:
        return list(directives), []
    clauses = {id(clause) for clause, _ in pairs}
    order = [
        (before, after)
        for before in asked
        for after in asked
        if (
            any(item is after for item in _waiting(before, asked))
            if id(before) in clauses
            else _is_said_later(after, before, asked, clauses)
        )
    ]
    stages = {id(item): item.stage for item in directives}
    for clause, item in pairs:
        stages[id(clause)] = stages[id(item)] = min(stages[id(clause)], stages[id(item)])
    late: list[Directive] = []
    for _ in range(len(asked) * 2):  # each round moves what comes after the last one, or the others of a pair
        late = _moved(stages, order, pairs)
    # What is asked for owns its objects, not the clause that repeats it: the later one does.
    earlier = {key: stages[key] - _LATER / 2 for key in clauses}
    return [replace(item, stage=earlier.get(id(item), stages[id(item)])) for item in directives], late


def _moved(
    stages: dict[int, float],
    order: Sequence[tuple[Directive, Directive]],
    pairs: Sequence[tuple[Directive, Directive]],
) -> list[Directive]:
    """Moves what is not after what it has to come after, and returns it."""
    late = [after for before, after in order if stages[id(after)] <= stages[id(before)]]
    for before, after in order:
        if stages[id(after)] <= stages[id(before)]:
            stages[id(after)] = stages[id(before)] + _LATER
    for pair in pairs:
        last = max(stages[id(item)] for item in pair)
        stages.update({id(item): last for item in pair})
    return late


def _waiting(clause: Directive, asked: Sequence[Directive]) -> list[Directive]:
    """What waits for a clause of its sentence: all after `once …, …`, but only the pear in `the pear after the apple`.

    The latter clause is half a stage before it.
    """
    number = next(number for number, item in enumerate(asked) if item is clause)
    following = [item for item in asked[number + 1 :] if item.sentence == clause.sentence]
    later = [item for item in following if item.stage > clause.stage]
    return later[:1] if later and later[0].stage - clause.stage == _HALF else later


def _is_said_later(after: Directive, before: Directive, asked: Sequence[Directive], clauses: Collection[int]) -> bool:
    """Whether the text says of a directive that it comes after another one, and not only what it waits for."""
    if after.stage <= before.stage:
        return False
    if after.sentence == before.sentence:  # before what `after` says, nothing is said to come
        return id(after) not in clauses or (after.stage - before.stage).is_integer()
    if after.sentence < before.sentence or id(after) in clauses:
        return False
    begun = min(item.stage for item in asked if item.sentence == after.sentence)
    return math.ceil(begun) > max(item.stage for item in asked if item.sentence < after.sentence)


def _is_waited_for(
    directive: Directive,
    other: Directive,
    asked: Sequence[Directive],
    knowledge: Knowledge,
    things: Sequence[ListedObject],
) -> bool:
    """Whether another directive says when something that a directive asks for is to be done."""
    if directive is other or directive.weak:
        return False
    place, also = (item.target.words if item.target is not None else () for item in (directive, other))
    if place != also:
        return False
    if not other.weak:  # `the pear after the apple. Give me the apple.`, but not what is to be done again
        same = (directive.verb, directive.items) == (other.verb, other.items)
        return same and any(item.stage - other.stage == _HALF for item in _waiting(other, asked))
    return bool(place) and any(
        all(any(knowledge.matches(item.selector, thing) for item in each.items) for each in (directive, other))
        for thing in things
    )


def calls_in_order(
    claims: Sequence[Demand], fitting: Fitting, lacking: Collection[int], program: Program
) -> dict[tuple[str, str], int]:
    """(action, object) pairs in order, each with the number of its step; those of one step may come in any order.

    What is stacked comes in the order in which it is named, as the lower comes first; of `all cubes`, any may.

    Args:
        claims: the demands with their objects.
        fitting: knows what is done.
        lacking: ids of the demands that a prohibition rules out, and after which nothing is stacked.
        program: what the text says of the order. Where it says of anything what comes before or after, each directive
            has a step of its own, as not every such clause is read.
    """
    on_table = {thing.name: thing for thing in fitting.situation.on_table}
    found: dict[tuple[str, str], Demand] = {}
    ended: set[str] = set()
    for claim in sorted(claims, key=lambda claim: claim.directive.stage):
        ended |= {claim.action} if id(claim) in lacking else set()
        for name in claim.names if claim.action not in ended else ():
            thing = on_table.get(name)
            if thing is not None and not fitting.is_done(claim, thing):
                found.setdefault((claim.action, name), claim)
    steps = dict.fromkeys(list(found)[:1], 0)
    stacked: set[int] = set()
    for (_, before), (call, claim) in pairwise(found.items()):
        stacked |= {id(before)} if is_stacking(before.directive) else set()
        later = claim.directive.stage > before.directive.stage or (program.as_named or claim.item.by_name != 0)
        later |= program.in_turn and claim.directive is not before.directive
        later |= is_stacking(claim.directive) and not stacked <= {id(claim)}
        later |= any(name == call[1] for (_, name), step in steps.items() if step == max(steps.values()))
        stacked = set() if later else stacked
        steps[call] = max(steps.values()) + later
    return steps
