"""An entry of a task's declarative log, as a node asks the worker for it."""

from dataclasses import dataclass
from enum import StrEnum

from lucca_core.protocol.snapshots import Snapshot


class EntryKind(StrEnum):
    """What an entry tells. A refusal of an action is an outcome of no intent (`intent_id` 0). REFUSED: what was started
    is not done at all. CHANGED: a person changed the task."""

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
"""The code of a `started` entry that forgets what came before it."""

RESTORED = 'restored'
"""The code of a `world_changed` entry that finds an effect there again after an earlier one missed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRequest:
    """An entry as it is asked for; what the log keeps of it is `lucca_memory.declarative.entry.Entry`.

    Attributes:
        snapshot: what the entry rests on.
        intent_id: of an outcome, the number of the intent it closes; 0 for a refusal, which closes none.
        attempts: of an outcome, how often the motion was tried; 0 where nothing moved.
        duration_s: of an outcome, ROS time since its intent.
        description: of a change, what the task asks for from now on, until it is begun anew.
    """

    task: str
    kind: EntryKind
    snapshot: Snapshot
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


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The entry is on the disk; its number in the log, from 1."""

    entry_id: int
