"""Remembered lines as they are shown to a model and told to people."""

import re
from collections.abc import Sequence

from coordinator_node.talk.fit_words import can_be_retold
from lucca_core.protocol.remembered import Recollection
from lucca_llm.prompt_text import harmless
from lucca_llm.rules.answers.earlier_talk import day_of, unended
from lucca_llm.rules.utterances.quotation import is_question

LINE_CHARS = 200
"""Longest remembered text that is shown, in characters."""

_RELATIVE = re.compile(
    r'\b(?:yesterday|today|tonight|tomorrow|now|currently|ago|last|next|this|'
    r'(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b',
    re.IGNORECASE,
)


def depends_on_day(text: str) -> bool:
    """Whether a text has words for a time that depend on the day on which they are said."""
    return _RELATIVE.search(text) is not None


def tells(item: Recollection) -> bool:
    """Whether a memory tells something: it is no question and no note such as `(asked to forget something)`."""
    return not is_question(item.text) and not item.text.startswith('(')


def can_retell(item: Recollection, person: str) -> bool:
    """Whether other words may be found for a memory: `person` said it themselves, and it holds and denies nothing."""
    holds = item.kind != 'fact' and item.valid_to is None and item.newer is None
    return holds and item.speaker in ('', 'guest', person) and can_be_retold(item.text)


def shown_line(item: Recollection, today: str) -> str:
    """A memory as the prompt shows it: `on 20 November 2026 Ana said: my boat is called Petrel`."""
    text = unended(harmless(item.text, LINE_CHARS))
    if item.kind == 'fact':
        return f'{item.source} says: {text}'
    day = day_of(f'{item.time:%Y-%m-%d}' if item.time else '', today)
    over = '; that no longer holds' if item.valid_to is not None else ''
    over = over or ('; something newer was said' if item.newer is not None else '')
    return f'{day} {item.speaker or "somebody"} said: {text}{over}'


def quoted(item: Recollection, today: str, person: str) -> str:
    """A memory as it is told if other words are not found or not allowed."""
    line, is_over = shown_line(item, today), item.valid_to is not None or item.newer is not None
    if is_over or item.kind == 'fact' or item.speaker not in ('', 'guest', person):
        return ended(line)
    day, _, told = line.partition(f' {item.speaker or "somebody"} said: ')
    return f'{day} you told me: “{told}”.'


def in_sentences(lines: Sequence[str]) -> str:
    """Lines as sentences, one behind the other."""
    return ' '.join(map(ended, lines))


def ended(line: str) -> str:
    """The line with a mark at its end."""
    return line if line.endswith(('.', '!', '?')) else f'{line}.'
