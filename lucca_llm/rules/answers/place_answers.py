"""Answers of a conversation to what is told by where it stands, and to the question which one is meant."""

import re
from collections.abc import Callable

from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.prompt_reader import call_text, say
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.space.choices import with_choice
from lucca_llm.rules.space.told_by_place import answer_about_places, asked_to_agree, is_only_told, with_places_named
from lucca_llm.rules.utterances.follow_ups import agrees, declines

_KEEP = re.compile(r"(?:please )?(?:remember|keep in mind|note|do not forget|don't forget)\b", re.IGNORECASE)
_RIGHT = re.compile(r'\bright\b', re.IGNORECASE)

Instead = Callable[[str], str]
"""The answer to another text in place of what was said."""


_DECLINED = 'All right, I leave it. What shall I do instead?'


def chosen_answer(turn: ConversationTurn, table: TableView, instead: Instead) -> str | None:
    """The answer to the request before, once it was told which one is meant."""
    try:
        chosen = with_choice(turn, table)
    except LookupError as error:
        return call_text('cannot_do', _sentence(error))
    return None if chosen is None else instead(chosen)


def answer_by_place(
    turn: ConversationTurn, table: TableView, instead: Instead, *, is_about: bool, is_asked: bool
) -> str | None:
    """The answer to what is told by where it stands, or to a yes to the robot's own question about that.

    Args:
        turn: the turn.
        table: what is seen.
        instead: answers a text with the names of what was told by its place.
        is_about: whether the text may be about things here.
        is_asked: whether what is not clear is asked; if not, other rules hear the text.
    """
    # To a question of left and right, `right` may be no yes.
    if turn.before and agrees(turn.said) and not _RIGHT.search(turn.said):
        asked = asked_to_agree(turn.answered)
        return instead(asked) if asked else None
    if turn.before and declines(turn.said) and asked_to_agree(turn.answered):
        return say(_DECLINED)
    if _KEEP.match(turn.said):
        return None  # what is remembered keeps the person's own words
    if (seen := answer_about_places(turn.said, table)) is not None:
        return say(seen)
    is_bare = table.seen and not turn.before and is_only_told(turn.said, table)
    try:
        told = with_places_named(turn.said, table) if is_bare or (table.seen and is_about) else None
    except LookupError as error:
        return call_text('cannot_do', _sentence(error)) if is_asked else None
    if told is not None and is_bare:
        return call_text('cannot_do', f'{told.doubt} What shall I do with {told.text.strip(" .!")}?'.strip())
    return None if told is None else told.answer(instead(told.text))


def _sentence(error: LookupError) -> str:
    return str(error) if str(error).endswith('?') else f'{error}.'
