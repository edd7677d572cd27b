"""Lines that say again what other lines say, so that what is to be forgotten goes with all of them."""

import re
from collections.abc import Sequence

from lucca_memory.people.values import Line
from lucca_memory.retrieval.analysis import told_share
from lucca_memory.semantic.consolidation.sameness import is_one_fact
from lucca_memory.semantic.language.reading import sentences_of

_TO_KEEP = re.compile(
    r"^(?:please )?(?:remember|keep in mind|note|do not forget|don['’]t forget)(?: that|:)?\s+", re.IGNORECASE
)


def says_no_more(line: Line, others: Sequence[Line]) -> bool:
    """Whether a line says only what its speaker says in the other lines, too.

    True if each sentence that states something is known to be equal to one of theirs. False for a line that states
    nothing, and for one that says something else as well.
    """
    known = [fact for other in others if other.speaker == line.speaker for fact in _facts(other.text)]
    told = _facts(line.text)
    return bool(told) and all(any(is_one_fact(fact, other) for other in known) for fact in told)


def _facts(text: str) -> list[str]:
    return [_TO_KEEP.sub('', part) for part in sentences_of(text) if told_share(part) > 0]
