"""What is prohibited, lifted or asked of prohibitions in a text, as calls, for models that cannot read it."""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_llm.rules.answers.prohibition_answers import CONDITION, unclear
from lucca_llm.rules.prompts.table_view import read_table_lines
from lucca_llm.rules.utterances.requests import sentences_in
from lucca_llm.rules.utterances.said_prohibitions import (
    ALLOW,
    asks_what_is_prohibited,
    change_in,
    is_conditional,
)


@dataclass(frozen=True, slots=True)
class ProhibitionCall:
    """A call about prohibitions: `prohibit`, `allow`, or `prohibitions`, which has no arguments."""

    name: str
    what: str = ''
    place: str = ''


@dataclass(frozen=True, slots=True)
class SpokenProhibitions:
    """What a text says of prohibitions.

    Attributes:
        calls: what is to be called.
        told: what the person is told instead.
        beside: whether something else is asked for in the same text, which is done after the calls.
    """

    calls: tuple[ProhibitionCall, ...] = ()
    told: str = ''
    beside: bool = False


def read_prohibitions(text: str, table: Sequence[str]) -> SpokenProhibitions | None:
    """What a text prohibits, permits or asks of prohibitions; None if it is about something else.

    Args:
        text: what was said.
        table: the lines of the table, as prompts show it.
    """
    sentences, seen = sentences_in(text), read_table_lines(table)
    if asks_what_is_prohibited(text):
        return SpokenProhibitions((ProhibitionCall('prohibitions'),))
    change = change_in(sentences, seen)
    if change is None:
        return SpokenProhibitions(told=CONDITION) if is_conditional(sentences) else None
    calls = tuple(ProhibitionCall(change.name, item.what, item.place) for item in change.said.found)
    nothing = 'I have lifted nothing' if change.name == ALLOW else 'I keep no prohibition'
    told = '' if calls else unclear(nothing, change.said.unclear)
    return SpokenProhibitions(calls, told, change.beside)
