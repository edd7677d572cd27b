"""Names of objects that English grammar would break up, such as `can of beans`: joined for reading, then restored."""

import functools
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lucca_language.reading.description_parser import parse
from lucca_language.reading.program import TABLE_WORDS
from lucca_language.reading.selectors import Named, Noun
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.word_sets import any_of
from lucca_llm.model import Message
from lucca_llm.rules.prompts.prompt_reader import calls_in, is_action, read_offered, read_table

_PLAIN = re.compile(r"[a-z]+(?:['’-][a-z0-9]+)*")
_NUMBER = re.compile(r' \d+$')
_MARK = 'x-'
"""Begins a joined name that is no noun, begins with a digit, or would be that of another object."""
_HEAD_FIRST = any_of('with without about for from in on')
"""Words behind the noun that tells the kind, as in `bottle with the blue cap`; in `can of beans`, both nouns do."""
_AS_NOUN = (
    r'(?:(?<=\bthe )|(?<=\ba )|(?<=\ban )|(?<=\bmy )|(?<=\bthis )|(?<=, )|(?<=: )|(?<=\w\()|(?<=\n))'
    r'{}(?![\w-])' + rf'(?! (?!(?:{"|".join(sorted(FUNCTION_WORDS))})\b)[a-z])'
)
"""Where a quality is the name of a thing: `the lilac`, but not `the lilac cup` or `what is lilac`."""
_QUALITIES = re.compile(r'(?<= )\([^()\n]*\)')


def with_joined_names(messages: Sequence[Message]) -> tuple[Sequence[Message], Callable[[str], str]]:
    """The messages with such names joined, and a function that restores the names in the answer.

    `can of beans` becomes `can-of beans`, and `bottle with a cap` becomes `with-a-cap bottle`, so that the last word
    tells the kind. A name that is no noun, such as `lilac`, `round` or `7up`, becomes `x-lilac`.
    """
    listed = _listed(messages)
    joined: dict[str, str] = {}
    taken = {name.lower() for name in listed}
    for name in listed:
        if (text := _joined(name.lower())) == name.lower():
            continue
        while text in taken:
            text = f'{_MARK}{text}'
        taken.add(text)
        joined[name] = text
    if not joined:
        return messages, lambda answer: answer
    restored = _replacing({text: name for name, text in joined.items()}, qualities=False)
    join = _replacing(joined, qualities=True)
    return (
        [
            replace(message, content=_QUALITIES.sub(lambda found: restored(found.group()), join(message.content)))
            for message in messages
        ],
        restored,
    )


def alphabetical_key(name: str) -> str:
    """What a name is sorted by: the name as people write it, in lower case, whether it was joined or not."""
    text = re.sub(f'^(?:{_MARK})+', '', name.lower())
    first, _, last = text.partition(' ')
    if last and first.split('-')[0] in _HEAD_FIRST:
        text = f'{last} {first}'
    return text.replace('-', ' ')


def _listed(messages: Sequence[Message]) -> list[str]:
    """The names of all objects that the messages list or that actions had, without numbers, longest first."""
    found = set()
    offered = [call for message in messages for call in read_offered(message.content) if is_action(call)]
    actions = {call.name: call.argument for call in offered}
    for message in messages:
        table = read_table(message.content)
        found |= {thing.name for thing in (*(table.on_table or ()), *table.elsewhere)}
        # What was handed over is no longer listed.
        found |= {thing for name, thing in _calls_in(message.content) if thing != actions.get(name, thing)}
    return sorted({_NUMBER.sub('', name) for name in found} - {''}, key=lambda name: (-len(name), name))


@functools.lru_cache(maxsize=256)
def _calls_in(content: str) -> frozenset[tuple[str, str]]:
    """The calls in a message, which every later prompt repeats."""
    return frozenset(calls_in(content))


@functools.lru_cache(maxsize=4096)
def _joined(name: str) -> str:
    if name in TABLE_WORDS:
        return name  # `Objects on the table` is a heading of the prompt
    words = name.split()
    if not all(_PLAIN.fullmatch(word) and word not in FUNCTION_WORDS for word in words):
        at = next((at for at, word in enumerate(words) if at and word in _HEAD_FIRST), 0)
        *first, last = (_ascii(word) for word in (*words[at:], *words[:at]))
        words = [' '.join(filter(None, ('-'.join(first), last)))]
    text = ' '.join(words)
    return text if ' ' in text or text.startswith(_MARK) or _is_noun(text) else f'{_MARK}{text}'


def _ascii(word: str) -> str:
    plain = unicodedata.normalize('NFKD', word).encode('ascii', 'ignore').decode()
    text = '-'.join(re.findall(r'[a-z0-9]+', plain)) or 'x'
    return text if text[0].isalpha() else f'{_MARK}{text}'


@functools.lru_cache(maxsize=4096)
def _is_noun(word: str) -> bool:
    """Whether the reader takes a word for a thing, and for nothing else."""
    items = [item for directive in parse(f'point at the {word}').directives for item in directive.items]
    return len(items) == 1 and isinstance(items[0].head, Noun | Named) and items[0].selector == items[0].head


def _replacing(new: Mapping[str, str], *, qualities: bool) -> Callable[[str], str]:
    """A function that replaces all keys in one pass, the longest first. `qualities`: some keys are no nouns."""
    patterns = []
    for old in sorted(new, key=len, reverse=True):
        words = r'\s+'.join(map(re.escape, old.split()))
        is_quality = qualities and _PLAIN.fullmatch(old.lower()) is not None and old.lower() not in FUNCTION_WORDS
        patterns.append(_AS_NOUN.format(words) if is_quality else rf'(?<![\w-]){words}(?![\w-])')
    pattern = re.compile('|'.join(f'(?:{part})' for part in patterns), re.IGNORECASE)
    by_words = {' '.join(old.lower().split()): text for old, text in new.items()}
    return lambda text: pattern.sub(lambda found: by_words[' '.join(found.group().lower().split())], text)
