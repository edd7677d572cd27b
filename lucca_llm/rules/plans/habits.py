"""Habits of a person, as told in earlier conversations: where they put what, as examples for similar objects."""

import re
from collections.abc import Iterable, Sequence

from lucca_llm.rules.prompts.conversation_prompt import PromptMemory

_ASKED = re.compile(
    r'^(?:tidy|clean|clear|sort|put|arrange|organi[sz]e)\b.{0,60}?\b(?:(?:the )?way|as|like|how)\s+(?:that )?'
    r'(?:i|we)\b(?:\s+(?:do|did|always|usually|normally|would|like|want|told|showed|taught|put|keep|tidy|have|it|them|'
    r'things|everything|to|you|my|before|last|time))*[.!?]*$',
    re.IGNORECASE,
)
_TOLD = re.compile(
    r'^(?:i|we) (?:(?:always|usually|normally|mostly|like to|prefer to|want to) )?(?:put|keep|store|place|leave|stow) '
    r'(?:(?:the|my|our|a|an|all|every) )?(?P<what>[^,;:.!?"]+?) (?P<relation>in|into|inside|on|onto|at) '
    r'(?:(?:the|my|our) )?(?P<place>[^,;:.!?"]+?)[.!]*$',
    re.IGNORECASE,
)


def asks_to_do_as_told(said: str) -> bool:
    """Whether somebody asks the robot to tidy up the way they do it themselves."""
    return _ASKED.match(said.strip()) is not None


def question_about(place: str) -> str:
    """The query for memories of what somebody puts into a place."""
    return f'I always put things in the {place}'


def examples_told(
    memories: Iterable[PromptMemory], person: str, places: Sequence[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """What somebody said that they put where: place (as in `on the shelf`) -> objects, and the days on which they said
    it.

    For each object the newest statement counts. Statements that no longer hold, or about other places, are skipped.
    """
    known = {place.lower(): place for place in places}
    newest: dict[str, tuple[str, str, str]] = {}
    for memory in memories:
        match = _TOLD.match(memory.text.strip())
        if match is None or memory.speaker != person or memory.outdated in ('all', 'partly'):
            continue
        place, thing = known.get(match['place'].lower()), match['what'].strip()
        if place is not None and memory.date >= newest.get(thing.lower(), ('',))[0]:
            newest[thing.lower()] = memory.date, place, match['relation'].lower()
    found: dict[str, list[str]] = {}
    for place in places:
        here = {thing: relation for thing, (_, where, relation) in newest.items() if where == place}
        if here:
            found[f'{next(iter(here.values()))} the {place}'] = list(here)
    return found, sorted({date for date, *_ in newest.values() if date})


def described(examples: dict[str, list[str]], person: str, days: Sequence[str]) -> str:
    """The description of a task made from these examples, with the person and the days."""
    when = f' on {" and ".join(days)}' if days else ''
    clauses = (
        f'put things like {" and ".join(f"“{thing}”" for thing in things)} {place}'
        for place, things in examples.items()
    )
    return f'As {person} told me{when}: {", ".join(clauses)}.'
