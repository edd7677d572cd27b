"""Of two versions of one statement the newer one first, where it is not sure enough that one took the other's place.

Closing needs proof; an order does not hide anything, so less is asked: the same subject, values of one kind, and that both
answer about as well. Statements change places among the first few only, so that none is lost by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.semantic.consolidation.supersession import may_compete
from lucca_memory.semantic.language.reading import readings_of

AMONG = 10
"""Statements at the top among which places are changed."""
_AS_GOOD = 0.85
"""Share of a statement's score that a newer version has to have."""
_ALIKE = 0.75
"""Cosine from which two statements of one speaker are versions of one another, whatever their words."""


@dataclass(frozen=True, slots=True)
class Version:
    """A statement that was found: when it was last said (microseconds), by whom; its vector may be of length 0."""

    text: str
    speaker: str
    said: int
    score: float
    vector: Vectors


def newest_first(found: Sequence[Version]) -> list[int]:
    """The order (places in `found`, best first) in which no older version stands above a newer one among the first."""
    placed = list(range(len(found)))
    head = min(AMONG, len(found))
    for place in range(head):
        # What came up may have a newer version itself; each is younger than the one before, so this ends.
        while newer := [
            at for at in range(place + 1, head) if _is_newer_version(found[placed[at]], found[placed[place]])
        ]:
            newest = max(newer, key=lambda at: found[placed[at]].said)
            placed.insert(place, placed.pop(newest))
    return placed


def _is_newer_version(new: Version, old: Version) -> bool:
    if new.said <= old.said or new.score < _AS_GOOD * old.score:
        return False
    if new.speaker == old.speaker and new.vector.size and float(new.vector @ old.vector) >= _ALIKE:
        return True
    return any(
        may_compete(one, two)
        for one in readings_of(new.text, new.speaker)
        for two in readings_of(old.text, old.speaker)
    )
