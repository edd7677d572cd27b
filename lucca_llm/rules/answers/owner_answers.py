"""What is said of somebody's things: said again with the things themselves, looked up, or asked about."""

import re
from collections.abc import Sequence

from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.answers.owned_things import OwnedThing, owned_things, owners_of, told_things, with_named_things
from lucca_llm.rules.answers.owner_doubts import said_since
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.prompt_reader import call_text, say
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence

_WHOSE = re.compile(
    r'^(?:and )?(?:whose(?: [a-z]+)? (?:is|are) (?P<what>(?:the|this|that) [^?.!]+?)|who owns (?P<what2>the [^?.!]+?)|'
    r'who(?:m)? does (?P<what3>the [^?.!]+?) belong(?: to)?)\W*$',
    re.IGNORECASE,
)
_IS_WHOSE = re.compile(
    r"^(?:and )?(?:(?:is|are) (?P<what>the [^?.!]+?) (?P<owner>mine|[a-z]+['’]s)|"
    r'do(?:es)? (?P<what2>the [^?.!]+?) belong to (?P<owner2>[a-z]+))\W*$',
    re.IGNORECASE,
)
_WHAT_IS_WHOSE = re.compile(
    r"^(?:and )?(?:what|which (?:things?|objects?|ones?))(?: here)? (?:(?:is|are) (?P<owner>mine|[a-z]+['’]s)|"
    r'belongs? to (?P<owner2>[a-z]+)|do(?:es)? (?P<owner3>i|[a-z]+) own)\W*$',
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
        if owned.is_one and (len(told) > 1 or len(table.fitting(told[0])) > 1):
            which = [f'the {thing.name}' for what in told for thing in table.fitting(what)] or told
            return call_text('cannot_do', f'{" and ".join(which)} may be meant by “{owned.text}”. Which one?')
        if asks and (what := next((what for what in told if not _is_looked_up(what, turn)), '')) and turn.reachable:
            return call_text('recall', what)  # somebody may have said of it that it is another's
        owner = (owned.owner or turn.person).lower()
        if asks and (doubt := next((said for what in told if (said := said_since(owner, what, turn, table))), '')):
            whose = f'{owned.owner}’s' if owned.owner else 'yours'
            reason = f'I was told that {" and ".join(told)} is {whose}, but also: “{doubt.rstrip(".")}”'
            return call_text('cannot_do', f'{reason}. Please say which thing I shall take.')
        named.append((owned, ' and '.join(told)))
    return with_named_things(turn, named) if named else None


def whose_it_is(turn: ConversationTurn, table: TableView) -> str | None:
    """The answer to `whose is the blue cube?` and the like, or the lookup that it needs; None for other texts."""
    said = turn.said.strip()
    if not table.seen:
        return None
    if match := _WHAT_IS_WHOSE.match(said):
        return _what_is_whose(match['owner'] or match['owner2'] or match['owner3'], turn, table)
    if match := _IS_WHOSE.match(said):
        what, asked = match['what'] or match['what2'], match['owner'] or match['owner2']
    elif match := _WHOSE.match(said):
        what, asked = match['what'] or match['what2'] or match['what3'], ''
    else:
        return None
    if not table.fitting(what) or (asked and _owner(asked, turn) is None):
        return None
    if not turn.looks_up:
        return say(NO_LOOKUP)
    if not _is_looked_up(what, turn):
        return call_text('recall', what)
    owners = owners_of(what, turn.memories, turn.person, table)
    if not owners:
        return say('I do not know. Nobody told me whose it is.')
    doubts = (said_since(_bare(owner, turn), what, turn, table) for owner in owners)
    but = next((f'; but then I heard: “{doubt.rstrip(".")}”' for doubt in doubts if doubt), '')
    yes = ''
    if asked and len(owners) == 1 and not but:
        yes = 'Yes. ' if _bare(owners[0], turn) == _owner(asked, turn) else 'No. '
    return say(f'{yes}It is {" or ".join(owners)}, as I was told{but}.')


def _what_is_whose(said: str, turn: ConversationTurn, table: TableView) -> str | None:
    """The answer to `what belongs to Mira?`"""
    owner = _owner(said, turn)
    if owner is None:
        return None
    owned = OwnedThing(said, owner, '')
    if not turn.looks_up:
        return say(NO_LOOKUP)
    if not _is_looked_up(owned.query, turn):
        return call_text('recall', owned.query)
    told = told_things(owned, turn.memories, turn.person, table)
    whose = 'yours' if owner == turn.person.lower() else f'{owner.title()}’s'
    things = ' and '.join(told) or 'nothing that I know of'
    return say(f'By what I was told, {things} {"are" if len(told) > 1 else "is"} {whose}.')


def _owner(said: str, turn: ConversationTurn) -> str | None:
    """The owner's name in lower case, as asked for; None if the word is no name."""
    name = re.sub(r"['’]s$", '', said.lower())
    if name in ('mine', 'me', 'i'):
        return turn.person.lower() or None
    return None if name in FUNCTION_WORDS or lexicon().knows(name) else name


def _bare(owner: str, turn: ConversationTurn) -> str:
    """The name behind `Mira's` or `yours`, in lower case."""
    return turn.person.lower() if owner == 'yours' else owner.lower().removesuffix("'s")


def _is_looked_up(query: str, turn: ConversationTurn) -> bool:
    return any(step.call == 'recall' and step.argument == query for step in turn.steps)


def _unknown(owned: OwnedThing, table: TableView) -> str:
    """The answer if nobody told what is somebody's, or if two people are told to own it."""
    things = table.fitting(owned.noun) or table.objects
    of_kind = f'which {owned.noun or "things"} {"is" if owned.is_one else "are"}'
    such_as = f' Tell me, such as: “the {things[0].name} belongs to {owned.owner}”' if things else ''
    return call_text('cannot_do', f'I do not know {of_kind} {owned.owner}’s.{such_as}')
