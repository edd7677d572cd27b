"""Uncertain outcomes in a log: those judged without seeing the whole action, mostly after a kill."""

from collections.abc import Sequence

from lucca_core.protocol.entries import EntryKind
from lucca_memory.declarative.entry import Entry


def uncertain_outcomes(entries: Sequence[Entry]) -> int:
    """The number of uncertain outcomes in all episodes of a log; the state of a task has those of the last one only."""
    return sum(entry.uncertain for entry in entries if entry.kind is EntryKind.OUTCOME and not entry.refused)
