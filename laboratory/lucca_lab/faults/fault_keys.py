"""Keys of calls that fail alike: the call's number, its prompt, or the state that it is about."""

import hashlib
import re
from collections.abc import Sequence

from lucca_lab.faults.fault_profiles import Correlation
from lucca_llm.model import Message

_TASK = re.compile(r'^(?:Task:|Log of the task) *(.+?)[ ,:]*(?:, its newest entry last:)?$', re.MULTILINE)
_ON_TABLE = re.compile(r'^Objects on the table:(.*)$', re.MULTILINE)
_HELD = re.compile(r'^In ([^:\n]+):(.*)$', re.MULTILINE)
_LOOKS = re.compile(r'\([^()]*\)')


def fault_key(correlation: str, messages: Sequence[Message], number: int) -> str:
    """A key that is equal for two calls with the same faults.

    Args:
        correlation: what the calls must share, a `Correlation`.
        messages: what is sent to the model.
        number: number of earlier calls of this model.
    """
    if correlation == Correlation.PROMPT:
        told = '\0'.join(f'{message.role}\0{message.content}' for message in messages)
        return hashlib.sha256(told.encode(errors='replace')).hexdigest()
    if correlation == Correlation.STATE:
        return state_of(messages)
    return str(number)


def state_of(messages: Sequence[Message]) -> str:
    """The task and the places of all objects, as the newest parts of a chat say, in whatever order they are shown."""
    task, table, held = '', '', dict[str, str]()
    for message in messages:
        for name in _TASK.findall(message.content):
            task = name
        for listed in _ON_TABLE.findall(message.content):
            table = listed
        held |= dict(_HELD.findall(message.content))
    places = '; '.join(f'{place}: {_sorted(names)}' for place, names in sorted(held.items()))
    return f'{task} | {_sorted(table)} | {places}'


def _sorted(names: str) -> str:
    return ', '.join(sorted(part.strip() for part in _LOOKS.sub('', names).split(',')))
