"""Lines that say again what other lines say, so that what is to be forgotten goes with all of them."""

import re
from collections.abc import Sequence
from datetime import date

from lucca_memory.people.values import Line
from lucca_memory.retrieval.analysis import STOP_WORDS, told_share, words_of
from lucca_memory.semantic.consolidation.sameness import is_one_fact
from lucca_memory.semantic.language.reading import readings_of, sentences_of

_TO_KEEP = re.compile(
    r"^(?:please )?(?:remember|keep in mind|note|do not forget|don['’]t forget)(?: that|:)?\s+", re.IGNORECASE
)


_RELATIVE = re.compile(
    r'\b(?:yesterday|today|tonight|tomorrow|now|currently|recently|just|soon|later|earlier|ago|last|next|this|morning|'
    r'noon|afternoon|evening|weekend|in (?:\w+ ){1,2}(?:minute|hour|day|week|month|year)s?|'
    r'(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b',
    re.IGNORECASE,
)
_LEAST_WORDS = 3


def says_no_more(line: Line, others: Sequence[Line]) -> bool:
    """Whether a line says only what its speaker says in the other lines, too.

    True if each sentence that states something is known to be equal to one of theirs, and one of them says by itself
    what it is about, unlike "Yes." or "Please do it." False for a line that states nothing, for one that says something
    else as well, and for one with "tomorrow" or the like that was said on another day.
    """
    known = [(fact, _day(other)) for other in others if other.speaker == line.speaker for fact in _facts(other.text)]
    told = _facts(line.text)
    return any(map(_says_what_it_is_about, told)) and all(
        any(is_one_fact(fact, other) and (day == _day(line) or not _RELATIVE.search(fact)) for other, day in known)
        for fact in told
    )


def _says_what_it_is_about(fact: str) -> bool:
    words = [word for word in words_of(fact) if word not in STOP_WORDS]
    return len(words) >= _LEAST_WORDS and any(reading.plain for reading in readings_of(fact))


def _day(line: Line) -> date:
    return line.time.astimezone().date()


def _facts(text: str) -> list[str]:
    return [_TO_KEEP.sub('', part) for part in sentences_of(text) if told_share(part) > 0]
