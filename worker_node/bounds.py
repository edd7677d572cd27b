"""Limits on the texts that other nodes ask to have recorded, as these stay in a log and appear in prompts."""

from collections.abc import Sequence
from dataclasses import replace

from lucca_core.english import cut
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.prohibitions import MOST_PROHIBITIONS
from lucca_memory.procedural import check_description

_LONGEST_WORD = 300
_LONGEST_NOTE = 2_000
_LONGEST_LINE = 4_000


def bounded(request: EntryRequest) -> EntryRequest:
    """The entry to record. A note that is too long is cut rather than refused, as what was done has to be recorded.

    Raises:
        ValueError: the task is missing, the duration is negative or not finite, a name is too long, or the description
            is not valid.
    """
    if not request.task:
        raise ValueError('an entry needs a task')
    if not 0 <= request.duration_s < float('inf'):
        raise ValueError(f'duration_s must be finite and not negative, got {request.duration_s}')
    for name in ('action', 'object_id', 'object_name', 'code'):
        bounded_word(name, getattr(request, name))
    if request.description:
        request = replace(request, description=check_description(request.description))
    return replace(request, note=cut(request.note, _LONGEST_NOTE))


def bounded_lines(name: str, lines: Sequence[str]) -> Sequence[str]:
    """Lines for a prompt, unchanged.

    Raises:
        ValueError: there are more than can be prohibited at a time, or one is longer than 4,000 characters.
    """
    if len(lines) > MOST_PROHIBITIONS or any(len(line) > _LONGEST_LINE for line in lines):
        raise ValueError(f'{name} has {len(lines)} lines; at most {MOST_PROHIBITIONS} of {_LONGEST_LINE} characters')
    return lines


def bounded_word(name: str, text: str) -> str:
    """The text of a call, or of a name in a call, unchanged.

    Raises:
        ValueError: it is longer than 300 characters.
    """
    if len(text) > _LONGEST_WORD:
        raise ValueError(f'{name} has {len(text)} characters, {_LONGEST_WORD} at most are taken')
    return text
