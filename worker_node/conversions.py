"""Messages of the worker's services to its values and back; `from_msg` refuses bad input by raising ValueError."""

from lucca_interfaces.msg import Entry as EntryMsg
from lucca_interfaces.msg import TaskState as TaskStateMsg
from lucca_interfaces.srv import RetrieveMemory, ReviewCall

from lucca_memory.declarative.entry import EntryKind
from lucca_ros.conversions import snapshot_from_msg, snapshot_to_msg, usage_to_msg
from worker_node.answers import Retrieved, Review, TaskState
from worker_node.recorder import EntryRequest

_LONGEST_WORD = 300
_LONGEST_NOTE = 2_000


def entry_from_msg(msg: EntryMsg) -> EntryRequest:
    """The entry that a node asks for.

    Raises:
        ValueError: an unknown kind, no task, numbers that cannot be, or a name that is longer than any. A longer note is
            cut: what was done has to be recorded.
    """
    if not msg.task:
        raise ValueError('an entry needs a task')
    if msg.kind not in list(EntryKind):
        raise ValueError(f'kind must be one of {", ".join(EntryKind)}, got {msg.kind!r}')
    if not 0 <= msg.duration_s < float('inf'):
        raise ValueError(f'duration_s must be finite and not negative, got {msg.duration_s}')
    return EntryRequest(
        task=msg.task,
        kind=EntryKind(msg.kind),
        table=snapshot_from_msg(msg.table),
        action=word('action', msg.action),
        object_id=word('object_id', msg.object_id),
        object_name=word('object_name', msg.object_name),
        intent_id=msg.intent_id,
        code=word('code', msg.code),
        uncertain=msg.uncertain,
        attempts=msg.attempts,
        duration_s=msg.duration_s,
        note=msg.note if len(msg.note) <= _LONGEST_NOTE else f'{msg.note[: _LONGEST_NOTE - 1]}…',
    )


def word(name: str, text: str) -> str:
    """A call, or a name in one, as it came.

    Raises:
        ValueError: it is longer than any; it would stand in a log for good, and in prompts.
    """
    if len(text) > _LONGEST_WORD:
        raise ValueError(f'{name} has {len(text)} characters, {_LONGEST_WORD} at most are taken')
    return text


def entry_to_msg(value: EntryRequest) -> EntryMsg:
    """The message by which a node asks for an entry."""
    return EntryMsg(
        task=value.task,
        kind=str(value.kind),
        table=snapshot_to_msg(value.table),
        action=value.action,
        object_id=value.object_id,
        object_name=value.object_name,
        intent_id=value.intent_id,
        code=value.code,
        uncertain=value.uncertain,
        attempts=value.attempts,
        duration_s=value.duration_s,
        note=value.note,
    )


def fill_retrieved(response: RetrieveMemory.Response, value: Retrieved) -> RetrieveMemory.Response:
    """The response with what was retrieved."""
    response.success = True
    response.message = value.message
    response.text = value.text
    response.to_do = list(value.to_do)
    response.actions_done = list(value.actions_done)
    if intent := value.open_intent:
        response.open_intent_id = intent.intent_id
        response.open_intent_action = intent.action
        response.open_intent_object_id = intent.object_id
        response.open_intent_object_name = intent.object_name
    response.world_changed = list(value.world_changed)
    response.corrections = value.corrections
    response.usage = usage_to_msg(value.usage)
    return response


def fill_review(response: ReviewCall.Response, value: Review) -> ReviewCall.Response:
    """The response with a second opinion."""
    response.success = True
    response.fits = value.fits
    response.usage = usage_to_msg(value.usage)
    return response


def task_state_to_msg(value: TaskState) -> TaskStateMsg:
    """One task with its state."""
    intent = value.log.open_intent
    return TaskStateMsg(
        task=value.task.name,
        description=value.task.description,
        actions=list(value.task.actions),
        status=str(value.log.status),
        actions_done=[item.action for item in value.log.actions_done],
        done_before=[item.action for item in value.log.done_before],
        undone=[item.action for item in value.log.undone],
        left=list(value.left),
        open_intent=intent.action if intent else '',
        repeated=value.log.repeated,
        retries=value.log.retries,
        described=value.task.described,
    )
