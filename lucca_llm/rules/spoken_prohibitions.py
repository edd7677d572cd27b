"""What is prohibited, lifted or asked of prohibitions in a text, as calls, for models that cannot read it."""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_llm.rules.prohibition_answers import CONDITION, unclear
from lucca_llm.rules.requests import sentences_in
from lucca_llm.rules.said_prohibitions import (
    SaidOfProhibitions,
    asks_what_is_prohibited,
    is_conditional,
    lifted_in,
    prohibited_in,
)
from lucca_llm.rules.table_view import read_table_lines


@dataclass(frozen=True, slots=True)
class ProhibitionCall:
    """A call about prohibitions: `prohibit`, `allow`, or `prohibitions`, which has no arguments."""

    name: str
    what: str = ''
    place: str = ''


def read_prohibitions(text: str, table: Sequence[str]) -> tuple[ProhibitionCall, ...] | str | None:
    """The calls that a text asks for, or what to tell the person; None if the text is about something else.

    Args:
        text: what was said.
        table: the lines of the table, as prompts show it.
    """
    sentences, seen = sentences_in(text), read_table_lines(table)
    if asks_what_is_prohibited(text):
        return (ProhibitionCall('prohibitions'),)
    if (said := lifted_in(sentences, seen)) is not None:
        return _calls('allow', said) or unclear('I have lifted nothing', said.unclear)
    if (said := prohibited_in(sentences, seen)) is not None:
        return _calls('prohibit', said) or unclear('I keep no prohibition', said.unclear)
    return CONDITION if is_conditional(sentences) else None


def _calls(name: str, said: SaidOfProhibitions) -> tuple[ProhibitionCall, ...]:
    return tuple(ProhibitionCall(name, item.what, item.place) for item in said.found)
