"""The order of a plan: its calls one after another, and which of them may as well come in another order."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from lucca_language.reading.program import Program
from lucca_llm.rules.demands import Demand, is_stacking
from lucca_llm.rules.fitting import Fitting


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
