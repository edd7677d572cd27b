"""Names of objects that English grammar would break up, such as `can of beans`: joined for reading, then restored."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_llm.model import Message
from lucca_llm.rules.prompt_reader import calls_in, is_action, read_offered, read_table

_PLAIN = re.compile(r"[a-z]+(?:['’-][a-z0-9]+)*")
_NO_NOUN = rf'(?! (?!(?:{"|".join(sorted(FUNCTION_WORDS))})\b)[a-z])'
"""Not before a noun: in `the lilac cup`, it is a colour."""
_NUMBER = re.compile(r' \d+$')


def with_joined_names(messages: Sequence[Message]) -> tuple[Sequence[Message], Callable[[str], str]]:
    """The messages with such names joined, and a function that restores the names in the answer.

    `can of beans` becomes `can-of beans`. The last word stays by itself, as it tells the kind of the object.
    """
    joined = {name: text for name in _listed(messages) if (text := _joined(name)) != name.lower()}
    if not joined:
        return messages, lambda answer: answer
    names = {text: name for name, text in joined.items()}
    return (
        [replace(message, content=_replaced(message.content, joined)) for message in messages],
        lambda answer: _replaced(answer, names),
    )


def _listed(messages: Sequence[Message]) -> list[str]:
    """The names of all objects that the messages list or that actions had, without numbers, longest first."""
    found = set()
    actions = {call.name for message in messages for call in read_offered(message.content) if is_action(call)}
    for message in messages:
        table = read_table(message.content)
        found |= {thing.name for thing in (*(table.on_table or ()), *table.elsewhere)}
        # What was handed over is no longer listed.
        found |= {argument for name, argument in calls_in(message.content) if name in actions and '_' not in argument}
    return sorted({_NUMBER.sub('', name) for name in found} - {''}, key=lambda name: (-len(name), name))


def _joined(name: str) -> str:
    words = name.lower().split()
    if len(words) == 1 and lexicon().colour(words[0]) and not lexicon().knows(words[0]):
        return f'x-{words[0]}'  # a thing named `lilac`, which is a colour otherwise
    if all(_PLAIN.fullmatch(word) and word not in FUNCTION_WORDS for word in words):
        return name.lower()
    *first, last = (_as_plain(word) for word in words)
    return f'{"-".join(first)} {last}' if first else last


def _as_plain(word: str) -> str:
    """The word as one that begins with a letter and has no marks: `x-7up`, `m-ms`."""
    text = '-'.join(re.findall(r'[a-z0-9]+', word)) or 'x'
    return text if text[0].isalpha() else f'x-{text}'


def _replaced(text: str, new: dict[str, str]) -> str:
    for old, other in new.items():
        pattern = r'\s+'.join(map(re.escape, old.split()))
        end = _NO_NOUN if lexicon().colour(old) else ''
        text = re.sub(rf'(?<![\w-]){pattern}(?![\w-]){end}', other.replace('\\', r'\\'), text, flags=re.IGNORECASE)
    return text
