"""Ordering versions of one statement newest first when it is not certain enough that one superseded the other.

Superseding needs proof; reordering hides nothing, so less is required: the same subject, values of one kind, and
similar scores. Only the first few statements are reordered, so that none is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_memory.embedding.embedder import Vectors
from lucca_memory.semantic.consolidation.supersession import may_compete
from lucca_memory.semantic.language.reading import readings_of

AMONG = 10
"""How many of the best statements may be reordered."""
_AS_GOOD = 0.85
"""Minimum score of a newer version, as a share of the older statement's score."""
_ALIKE = 0.75
"""Cosine above which two statements of one speaker are versions, whatever their words."""


@dataclass(frozen=True, slots=True)
class Version:
    """A found statement: when it was last said (microseconds), its speaker, and its vector (may be empty)."""

    text: str
    speaker: str
    said: int
    score: float
    vector: Vectors


def newest_first(found: Sequence[Version]) -> list[int]:
    """The order (indices into `found`) in which no older version stands above a newer one among the first."""
    placed = list(range(len(found)))
    head = min(AMONG, len(found))
    for place in range(head):
        # The moved statement may have a newer version itself; each is newer than the last, so this ends.
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
