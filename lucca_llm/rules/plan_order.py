"""The order of a plan: its calls one after another, and which of them may as well come in another order."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from lucca_language.reading.program import Directive, Program
from lucca_language.reading.selectors import Knowledge, ListedObject
from lucca_llm.rules.demands import Demand, is_stacking
from lucca_llm.rules.fitting import Fitting

_SOONER = 0.25
"""Less than what any word for an order adds to a stage."""


def in_time(directives: Sequence[Directive], knowledge: Knowledge, things: Sequence[ListedObject]) -> list[Directive]:
    """The directives, none later than what waits for it.

    `Give me the pear only after the apple is in box 1; put the apple in box 1`: the apple comes first, although it is
    asked for last.
    """
    return [
        replace(item, stage=min(item.stage, *(other.stage - _SOONER for other in waited)))
        if (waited := [other for other in directives if _is_waited_for(item, other, knowledge, things)])
        else item
        for item in directives
    ]


def _is_waited_for(
    directive: Directive, other: Directive, knowledge: Knowledge, things: Sequence[ListedObject]
) -> bool:
    """Whether another directive says when something that a directive asks for is to be done."""
    if directive is other or directive.weak or directive.kind != 'do':
        return False
    place, same = (item.target.words if item.target is not None else () for item in (directive, other))
    if place != same:
        return False
    if not other.weak:  # `the pear after the apple. Give me the apple.`, but not what is to be done again
        asked = (directive.verb, directive.items) == (other.verb, other.items)
        return asked and 0 < directive.stage - other.stage < 1
    if not place:
        return False
    return any(
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
