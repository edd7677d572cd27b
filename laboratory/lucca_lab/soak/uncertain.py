"""Uncertain outcomes in a log: those judged without seeing the whole action, mostly after a kill."""

from collections.abc import Sequence

from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.replay import LogReplay


def uncertain_outcomes(entries: Sequence[Entry]) -> int:
    """The number of uncertain outcomes in all episodes of a log; the state of a task has those of the last one only."""
    log, found = LogReplay(), 0
    for entry in entries:
        before = log.state.uncertain
        log.add(entry)
        # A new episode begins with 0.
        found += max(0, log.state.uncertain - before)
    return found
