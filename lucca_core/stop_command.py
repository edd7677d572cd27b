"""Stop commands: the words that stop the robot, and tests for texts that contain them."""

import re
import unicodedata
from collections.abc import Callable

STOP_WORDS = ('stop', 'halt', 'freeze')

_SLIPS = (
    {
        f'{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}': word
        for word in STOP_WORDS
        for at in range(len(word) - 1)
        if word[at] != word[at + 1]
    }
    | {
        doubled: word
        for word in STOP_WORDS
        for at in range(len(word))
        if (doubled := f'{word[:at]}{word[at]}{word[at:]}') != 'stoop'
    }
    | {'stp': 'stop', 'freze': 'freeze'}
)
"""Stop words with two neighbours swapped, a letter doubled, and two with one left out: `stpo`, `stopp`, `stp`.

None is a word that people say. In doubt, a stop is meant.
"""
_SLIP = re.compile(rf'\b(?:{"|".join(_SLIPS)})\b')
_STRETCHED = re.compile(r'\b(?=\w*(\w)\1\1)(?:(?P<stop>s+t+o+p+)|(?P<halt>h+a+l+t+)|(?P<freeze>f+r+e+z+e+))\b')
"""`Stoooop`: a letter at least three times. `Stoop` is another word."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ONE_WORD = re.compile(r'\be[- \u2011]?stop\b')
_NO_NAME = (
    r'(?:(?:the|a|an|to|do|did|does|not|dont|never|cannot|i|we|you|they|he|she|it|who|what|when|where|why|how|if|until|'
    r'bus|full|non|pit|door|last|next|deep|truck|after|before|unless|once|'
    r"must|should|will|stop|halt|freeze|\w+n['’]t)\b)"
)
_NAME = rf'(?!{_NO_NAME})\w+(?:-\w+)?'
_CALLED = (
    re.compile(rf'^\W*{_NAME}(?:(?: {_NAME})?(?:\s*[,:!.;]| [–—-] |[–—])|(?= ))'),
    re.compile(rf'(?:,| [–—-])\s*{_NAME}\W*$'),
)
"""Whoever is called, before a stop or behind it: `R2D2, stop!`, `Rosie stop`, `stop, Rosie`."""
_ALIKE = frozenset({'cancel', 'abort', 'pause', 'quit', 'interrupt', 'enough', 'drop', 'forget', 'leave', 'mind'})
"""Words that may end a task as well, but hold no arms."""
_END_OF_CLAUSE = re.compile(r'[.,;:!?…–—()\n]+| - |(?= (?:and|then|but|so|or)\b)', re.IGNORECASE)
_BESIDE = frozenset(
    _WORD.findall(
        'emergency please now it that this lucca robot you the arm arms everything all moving at once right '
        'immediately oh no yes yeah hey wait ok okay whoa wow just there your i said'
    )
)
"""Words that may accompany a stop word without asking for something else."""
_BEHIND = _BESIDE | frozenset(
    _WORD.findall('thank thanks very much so many well done good great fine sorry bye my mistake bad')
)
"""Words that ask for nothing behind a stop."""


def has_stop_word(text: str) -> bool:
    """Whether a text contains a stop word, as in `Stop!`, `stop the tower` or `don't stop`."""
    return count_stop_words(text) > 0


def count_stop_words(text: str) -> int:
    """The number of stop words in a text: 2 in `stop, stop the arm`."""
    return sum(word in STOP_WORDS for word in _words(text))


def is_stop(text: str, name: str = '') -> bool:
    """Whether a text asks only for a stop: true for `STOP!!` and `please stop now`, false for `stop the tower`.

    `name`: what the robot is called, if not Lucca; it may be said beside a stop word.
    """
    return has_stop_word(text) and {*_words(text)} <= _BESIDE | {*STOP_WORDS, *_words(name)}


def is_typed_stop(text: str) -> bool:
    """As `is_stop`, also for a text that calls anybody: `Rosie, stop!`. What the robot is called is not known."""
    return is_stop(text) or any(is_stop(called.sub('', _plain(text))) for called in _CALLED)


def stop_and_rest(text: str, is_stop: Callable[[str], bool]) -> tuple[str, str]:
    """The longest beginning of a text, up to the end of a clause, that is a stop, and what is said behind it.

    Args:
        text: what was said.
        is_stop: tells whether a text asks only for a stop.

    Returns:
        `Stop!` and `Give me the pear.` for `Stop! Give me the pear.`; an empty stop if the text begins otherwise.
    """
    ends = [len(text), *(match.end() for match in reversed(list(_END_OF_CLAUSE.finditer(text))))]
    end = next((end for end in ends if is_stop(text[:end])), 0)
    return text[:end], text[end:].strip() if _WORD.search(text[end:]) else ''


def before_stop(text: str) -> str:
    """What is said before the clause that asks for a stop: `Give me the pear` for `Give me the pear and cancel it.`"""
    starts, said = _clauses(text)
    first = next((place for place, words in enumerate(said) if words & {*STOP_WORDS, *_ALIKE}), 0)
    return text[: starts[first]].strip(' ,.;:!?–—-')


def _clauses(text: str) -> tuple[list[int], list[set[str]]]:
    """Where the clauses of a text start, and the words of each."""
    ends = [*(match.end() for match in _END_OF_CLAUSE.finditer(text)), len(text)]
    starts = [0, *ends[:-1]]
    return starts, [{*_words(text[start:end])} for start, end in zip(starts, ends, strict=True)]


def after_stop(text: str, task: str) -> str:
    """What is said behind the clause in which a text asks to stop a task: `Thanks.` for `Cancel the tower. Thanks.`"""
    stops = {*STOP_WORDS, *_ALIKE}
    starts, said = _clauses(text)
    first = next((place for place, words in enumerate(said) if words & stops), None)
    if first is None:
        return ''
    known = stops | _BESIDE | {*_words(task)}
    behind = next((place for place in range(first + 1, len(said)) if not said[place] <= known), len(said))
    return text[starts[behind] :].strip() if behind < len(said) else ''


def asks_more(rest: str) -> bool:
    """Whether what is said behind a stop may ask for something: true for `give me the pear`, false for `thank you`."""
    return not {*_words(rest)} <= _BEHIND


def begins_with_stop(text: str, name: str = '') -> bool:
    """Whether a text asks for a stop before anything else: true for `please stop the tower`, false for `don't stop`."""
    # A stop word in the name, as in `Don Stop`, asks for a stop all the same.
    beside = {*_BESIDE, *_words(name)} - {*STOP_WORDS}
    return next((word for word in _words(text) if word not in beside), '') in STOP_WORDS


def says_all(text: str) -> bool:
    """Whether a text speaks of everything, as `and all the others` does."""
    return bool({*_words(text)} & {'everything', 'all', 'rest', 'others', 'both'})


def plain_words(text: str) -> str:
    """The words of a text in lower case, without anything between them."""
    return ' '.join(_words(text))


def without_words(text: str, other: str) -> str:
    """A text without the words of another: `stop now` for `stop the tower now` without `the tower`."""
    return ' '.join(word for word in _words(text) if word not in _words(other))


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text))


def _plain(text: str) -> str:
    # Some keyboards type full-width letters.
    text = _ONE_WORD.sub('stop', unicodedata.normalize('NFKC', text).casefold())
    text = _STRETCHED.sub(lambda match: str(match.lastgroup), text)
    return _SLIP.sub(lambda match: _SLIPS[match.group()], text)
