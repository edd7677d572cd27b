"""What is said of somebody's things: said again with the things themselves, looked up, or asked about."""

import re
from collections.abc import Sequence

from lucca_llm.rules.conversation_prompt import ConversationTurn
from lucca_llm.rules.owned_things import OwnedThing, owned_things, owners_of, told_things, with_named_things
from lucca_llm.rules.prompt_reader import call_text
from lucca_llm.rules.said_sentence import Mood, SaidSentence
from lucca_llm.rules.table_view import TableView

_WHOSE = re.compile(
    r'^(?:and )?(?:whose(?: [a-z]+)? (?:is|are) (?P<what>(?:the|this|that) [^?.!]+?)|who owns (?P<what2>the [^?.!]+?)|'
    r'who(?:m)? does (?P<what3>the [^?.!]+?) belong(?: to)?)\W*$',
    re.IGNORECASE,
)
NO_LOOKUP = 'I cannot look that up now.'
"""The answer to a question while memory gives no answer."""

_NOT_NOW = 'I cannot look up now whose things these are, so I leave them where they are'


def with_owned_things(
    turn: ConversationTurn, sentences: Sequence[SaidSentence], table: TableView
) -> ConversationTurn | str | None:
    """The turn with `the blue cube` for `Mira's cube`, or the call that looks up or tells what is not known.

    Nothing is done with what the prompt happens to show: whose a thing is, and whether it was said later to be
    another's, is looked up first, and nothing is done if that fails. None if nothing is said of somebody's things, or
    only told, or if a question has to be answered in another way.
    """
    moods = {sentence.mood for sentence in sentences}
    if not table.seen or moods <= {Mood.STATEMENT}:
        return None
    asks = not moods <= {Mood.STATEMENT, Mood.QUESTION}
    named: list[tuple[OwnedThing, str]] = []
    for owned in owned_things(turn.said, table):
        if asks and not turn.looks_up and (owned.owner or turn.reachable):
            return call_text('cannot_do', _NOT_NOW)
        if asks and turn.reachable and not _is_looked_up(owned.query, turn):
            return call_text('recall', owned.query)
        told = told_things(owned, turn.memories, turn.person, table)
        if not told:
            return _unknown(owned, table) if asks and owned.owner else None
        if len(told) > 1 and owned.is_one:
            return call_text('cannot_do', f'{" and ".join(told)} may be meant by “{owned.text}”. Which one?')
        if asks and (what := next((what for what in told if not _is_looked_up(what, turn)), '')) and turn.reachable:
            return call_text('recall', what)  # somebody may have said of it that it is another's
        named.append((owned, ' and '.join(told)))
    return with_named_things(turn, named) if named else None


def whose_it_is(turn: ConversationTurn, table: TableView) -> str | None:
    """The answer to `whose is the blue cube?`, or the lookup that it needs; None for other texts."""
    match = _WHOSE.match(turn.said.strip())
    if match is None or not table.seen:
        return None
    what = match['what'] or match['what2'] or match['what3']
    if not table.fitting(what):
        return None
    if not turn.looks_up:
        return call_text('say', NO_LOOKUP)
    if turn.reachable and not _is_looked_up(what, turn):
        return call_text('recall', what)
    owners = owners_of(what, turn.memories, turn.person, table)
    told = f'It is {" or ".join(owners)}, as I was told.' if owners else 'I do not know. Nobody told me whose it is.'
    return call_text('say', told)


def _is_looked_up(query: str, turn: ConversationTurn) -> bool:
    return any(step.call == 'recall' and step.argument == query for step in turn.steps)


def _unknown(owned: OwnedThing, table: TableView) -> str:
    """The answer if nobody told what is somebody's, or if two people are told to own it."""
    things = table.fitting(owned.noun) or table.objects
    of_kind = f'which {owned.noun or "things"} {"is" if owned.is_one else "are"}'
    such_as = f' Tell me, such as: “the {things[0].name} belongs to {owned.owner}”' if things else ''
    return call_text('cannot_do', f'I do not know {of_kind} {owned.owner}’s.{such_as}')
