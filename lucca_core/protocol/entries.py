"""Entries of a task's declarative log, as nodes ask the worker to write them."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from lucca_core.protocol.snapshots import Snapshot


class EntryKind(StrEnum):
    """The kinds of entries.

    A refused action is an OUTCOME without an intent (`intent_id` 0). REFUSED: the task that was started is not done at
    all. CHANGED: a person changed the task.
    """

    STARTED = 'started'
    INTENT = 'intent'
    OUTCOME = 'outcome'
    SUSPENDED = 'suspended'
    REFUSED = 'refused'
    RESUMED = 'resumed'
    FINISHED = 'finished'
    WORLD_CHANGED = 'world_changed'
    CHANGED = 'changed'


RESTART = 'restart'
"""The code of a `started` entry that discards what was done before it."""

RESTORED = 'restored'
"""The code of a `world_changed` entry for an effect that is there again after an earlier entry reported it gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFacts:
    """What happened, as nodes report it and the log keeps it.

    Attributes:
        intent_id: for an outcome, the number of the intent that it closes; 0 for a refusal, which closes none.
        attempts: for an outcome, how often the motion was tried; 0 if nothing moved.
        duration_s: for an outcome, ROS time since its intent.
        description: for a change, the task's description from now on, until the task is restarted.
    """

    kind: EntryKind
    action: str = ''
    object_id: str = ''
    object_name: str = ''
    intent_id: int = 0
    code: str = ''
    uncertain: bool = False
    attempts: int = 0
    duration_s: float = 0.0
    note: str = ''
    description: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRequest(EntryFacts):
    """An entry that the worker is asked to write; the log stores it as a `lucca_memory.declarative.entry.Entry`.

    `snapshot`: what was seen when it happened.
    """

    task: str
    snapshot: Snapshot

    @property
    def facts(self) -> dict[str, Any]:
        """The fields that the entry in the log has, too."""
        return {item.name: getattr(self, item.name) for item in fields(EntryFacts)}


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Says that the entry is on the disk. `entry_id` is its number in the log, from 1."""

    entry_id: int
