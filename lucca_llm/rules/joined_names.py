"""Names of objects that English grammar would break up, such as `can of beans`: joined for reading, then restored."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lucca_language.reading.description_parser import parse
from lucca_language.reading.selectors import Named, Noun
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_llm.model import Message
from lucca_llm.rules.prompt_reader import calls_in, is_action, read_offered, read_table

_PLAIN = re.compile(r"[a-z]+(?:['’-][a-z0-9]+)*")
_NUMBER = re.compile(r' \d+$')
_MARK = 'x-'
"""Begins a joined name that is no noun or begins with a digit."""
_NO_NOUN = rf'(?! (?!(?:{"|".join(sorted(FUNCTION_WORDS))})\b)[a-z])'
"""Not before a noun: in `the lilac cup`, lilac is a colour, whatever is named so."""


def with_joined_names(messages: Sequence[Message]) -> tuple[Sequence[Message], Callable[[str], str]]:
    """The messages with such names joined, and a function that restores the names in the answer.

    `can of beans` becomes `can-of beans`. The last word stays by itself, as it tells the kind of the object. A name
    that is no noun, such as `lilac`, `round` or `7up`, becomes `x-lilac`.
    """
    joined = {name: text for name in _listed(messages) if (text := _joined(name.lower())) != name.lower()}
    if not joined:
        return messages, lambda answer: answer
    patterns = {_pattern(name) + (_NO_NOUN if ' ' not in name else ''): text for name, text in joined.items()}
    names = {_pattern(text): name for name, text in joined.items()}
    return (
        [replace(message, content=_replaced(message.content, patterns)) for message in messages],
        lambda answer: _replaced(answer, names),
    )


def _listed(messages: Sequence[Message]) -> list[str]:
    """The names of all objects that the messages list or that actions had, without numbers, longest first."""
    found = set()
    offered = [call for message in messages for call in read_offered(message.content) if is_action(call)]
    actions = {call.name: call.argument for call in offered}
    for message in messages:
        table = read_table(message.content)
        found |= {thing.name for thing in (*(table.on_table or ()), *table.elsewhere)}
        # What was handed over is no longer listed.
        found |= {thing for name, thing in calls_in(message.content) if thing != actions.get(name, thing)}
    return sorted({_NUMBER.sub('', name) for name in found} - {''}, key=lambda name: (-len(name), name))


@functools.lru_cache(maxsize=4096)
def _joined(name: str) -> str:
    words = name.split()
    if not all(_PLAIN.fullmatch(word) and word not in FUNCTION_WORDS for word in words):
        words = ['-'.join(re.findall(r'[a-z0-9]+', word)) or 'x' for word in words]
        words = [' '.join(filter(None, ('-'.join(words[:-1]), words[-1])))]
    text = ' '.join(words)
    can_be_read = text[0].isalpha() and (' ' in text or _is_noun(text))
    return text if can_be_read else f'{_MARK}{text}'


def _is_noun(word: str) -> bool:
    """Whether the reader takes a word for a thing, and for nothing else."""
    items = [item for directive in parse(f'point at the {word}').directives for item in directive.items]
    return len(items) == 1 and isinstance(items[0].head, Noun | Named) and items[0].selector == items[0].head


def _pattern(name: str) -> str:
    words = r'\s+'.join(map(re.escape, name.split()))
    return rf'(?<![\w-]){words}(?![\w-])'


def _replaced(text: str, new: Mapping[str, str]) -> str:
    for pattern, other in new.items():
        text = re.sub(pattern, other.replace('\\', r'\\'), text, flags=re.IGNORECASE)
    return text
