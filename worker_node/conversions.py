"""Messages of the worker's services to its values and back; `from_msg` refuses bad input by raising ValueError."""

from lucca_interfaces.msg import TaskState as TaskStateMsg
from lucca_interfaces.srv import RetrieveMemory, ReviewCall

from lucca_ros.conversions.usage import USAGE
from worker_node.answers import Retrieved, Review, TaskState


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
    response.usage = USAGE.to_msg(value.usage)
    return response


def fill_review(response: ReviewCall.Response, value: Review) -> ReviewCall.Response:
    """The response with a second opinion."""
    response.success = True
    response.fits = value.fits
    response.usage = USAGE.to_msg(value.usage)
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
