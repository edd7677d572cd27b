"""Doubts whether a thing is still somebody's: what was said of it, or of that, after it was told."""

import re
from collections.abc import Sequence

from lucca_language.reading.selectors import ListedObject
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.answers.owned_things import overlap, told_of
from lucca_llm.rules.prompts.conversation_prompt import ROBOT, ConversationTurn
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.requests import is_exclamation, sentences_in
from lucca_llm.rules.utterances.said_sentence import Mood
from lucca_llm.rules.utterances.talk_forms import is_thanks

_OF_THAT = re.compile(
    r'\b(?:it|that|this|they|them|these|those|he|she|not|never|wrong|mistaken?|lie|lied|jok(?:e|ed|ing)|kidding|true|'
    r"correct|correction)\b|^no\b|n't\b",
    re.IGNORECASE,
)
"""Words with which a statement may be about what was said just before"""
_TAKES_BACK = re.compile(r'^(?:(?:please|no|oh|sorry),? )*(?:forget|scratch|ignore|strike|disregard)\b', re.IGNORECASE)
_HARMLESS = re.compile(
    r'^(?:(?:i|we|he|she|[a-z]+) (?:really )?(?:like|love|see)s? (?!.*\b(?:but|not|no)\b)|'
    r"(?:the|my|[a-z]+['’]s) [a-z -]+ (?:is|are|looks?) (?:very |so |really )?(?:nice|pretty|beautiful|lovely|big|"
    r'small|large|heavy|light|new|old|clean|dirty|{colours})\W*$)'.replace(
        '{colours}', 'red|green|blue|yellow|white|black|brown|grey|gray|orange|pink|purple'
    ),
    re.IGNORECASE,
)


def said_since(owner: str, what: str, turn: ConversationTurn, table: TableView) -> str:
    """What was said of a thing since it was told to be somebody's, and may mean that it no longer is; empty for none.

    Requests and questions say nothing of it, nor does that it is liked. What is said of `it` counts behind the telling.

    Args:
        owner: the owner's name, in lower case.
        what: the thing, as a noun phrase.
        turn: the turn, with what was said and recalled.
        table: what is on the table.
    """
    things = table.fitting(what)
    told = [number for number, text in enumerate(turn.before) if _tells(text, owner, things, turn.person, table)]
    since = turn.before[told[-1] + 1 :] if told else ()
    for number, text in enumerate(since):
        if any(name != owner and overlap(table.fitting(other), things) for name, other in told_of(text, turn.person)):
            return text
        if _is_statement(text) and (
            _names(text, owner, what, things, table) or (number == 0 and _OF_THAT.search(text))
        ):
            return text
        if number == 0 and _TAKES_BACK.match(text):
            return text
    return '' if told else _remembered_since(owner, what, things, turn, table)


def _remembered_since(
    owner: str, what: str, things: Sequence[ListedObject], turn: ConversationTurn, table: TableView
) -> str:
    """The same of what was told in an earlier conversation; lines of the same minute count."""
    said = [item for item in turn.memories if item.kind in ('said', 'statement') and item.speaker != ROBOT]
    told = [item.source for item in said if _tells(item.text, owner, things, item.speaker, table)]
    if not told:
        return ''
    since = [
        item.text
        for item in said
        if _moment(item.source) >= max(map(_moment, told)) and not told_of(item.text, item.speaker)
    ]
    return next((text for text in since if _is_statement(text) and _names(text, owner, what, things, table)), '')


def _tells(text: str, owner: str, things: Sequence[ListedObject], speaker: str, table: TableView) -> bool:
    return any(name == owner and overlap(table.fitting(what), things) for name, what in told_of(text, speaker))


def _is_statement(text: str) -> bool:
    if is_thanks(text) or is_exclamation(text) or _HARMLESS.match(text) or told_of(text, 'me'):
        return False
    return any(sentence.mood in (Mood.STATEMENT, Mood.FORBID) for sentence in sentences_in(text)) or _is_report(text)


def _is_report(text: str) -> bool:
    """Whether a text tells what somebody did, as in `Mira lent the cube to Ben`: it begins with a name."""
    return re.match(r'[A-Z][a-z]+ [a-z]+(?:ed|ent|old|ave|ook|ost|ut)\b', text) is not None


def _names(text: str, owner: str, what: str, things: Sequence[ListedObject], table: TableView) -> bool:
    """Whether a text is about the thing: names it, its kind, or what the owner has of that kind."""
    if named := table.named(text):
        return overlap(named, things)
    nouns = {lexicon().singular(word) for word in re.findall(r'[a-z]+', text.lower())}
    return lexicon().singular(what.split()[-1].lower()) in nouns or (
        owner in nouns and bool(nouns & {'thing', 'everything', 'anything', 'nothing', 'all'})
    )


def _moment(source: str) -> str:
    found = re.search(r'\d{4}-\d\d-\d\d(?: \d\d:\d\d)?', source)
    return found.group() if found is not None else ''
