"""What a request says of the known tasks and of the things on the table, by its words."""

import re
from collections.abc import Sequence

from coordinator_node.talk.fit_words import content_of, denies
from lucca_core.protocol.snapshots import TableObject
from lucca_core.protocol.tasks import TaskState
from lucca_memory.retrieval.analysis import words_of

_ASKING = content_of('please could would can will want like let start begin do run go on again now then task job')
"""Words of a request for a named task."""
_MOVING = _ASKING | content_of('put move place all every each any goes')
"""Words of a request that name no thing and no place."""


def running_of(tasks: Sequence[TaskState]) -> str:
    """The name of the running task; empty if none runs."""
    return next((task.task for task in tasks if task.status == 'running'), '')


def is_asked_for(task: TaskState, text: str) -> bool:
    """Whether a text asks for a task and for nothing else.

    It names the task, and says nothing that the description does not say; or it says the whole description.
    """
    if re.search(r'[.!?;]\s', text.strip()) or denies(text):
        return False
    said, name, description = content_of(text), content_of(task.task), content_of(task.description)
    if name <= said and said - _ASKING <= name | description:
        return True
    return bool(description - _MOVING) and said - _MOVING == description - _MOVING


def names_one_of(text: str, objects: Sequence[TableObject]) -> bool:
    """Whether a request names an object on the table: then it is about that object, and not a whole task."""
    said = set(words_of(text))
    return any(set(words_of(item.label)) <= said for item in objects)
