"""The coordinator's values to messages and back."""

from lucca_interfaces.action import ExecuteTask
from lucca_interfaces.msg import TaskState
from lucca_interfaces.srv import RetrieveMemory, ReviewCall

from coordinator_node.ports import Goal, OpenIntent, Retrieved, Review, Status, TaskEvent, TaskResult, TaskStatus
from lucca_ros.conversions.usage import USAGE


def goal_to_msg(goal: Goal) -> ExecuteTask.Goal:
    """A goal; its id is the action's own."""
    return ExecuteTask.Goal(
        task=goal.task,
        text=goal.text,
        person=goal.person,
        priority=goal.priority,
        max_actions=goal.max_actions,
        restart=goal.restart,
    )


def goal_from_msg(msg: ExecuteTask.Goal, goal_id: str) -> Goal:
    """The goal of a message. The action is the way of the command line; what is heard comes over a topic."""
    return Goal(
        goal_id=goal_id,
        task=msg.task,
        text=msg.text,
        person=msg.person,
        source='cli',
        priority=msg.priority,
        max_actions=msg.max_actions,
        restart=msg.restart,
        confirmed=msg.confirmed,
    )


def event_to_msg(event: TaskEvent) -> ExecuteTask.Feedback:
    """Feedback."""
    return ExecuteTask.Feedback(
        step=event.step,
        phase=str(event.phase),
        text=event.text,
        code=event.code,
        actions_done=list(event.actions_done),
        left=list(event.left),
    )


def result_to_msg(result: TaskResult) -> ExecuteTask.Result:
    """What came of a goal; retries of the model are counted in no field and go to the log."""
    return ExecuteTask.Result(
        status=str(result.status),
        task=result.task,
        said=result.said,
        reason=result.reason,
        to_confirm=result.to_confirm,
        actions_done=list(result.actions_done),
        done_before=list(result.done_before),
        undone=list(result.undone),
        left=list(result.left),
        repeated=result.repeated,
        retries=result.retries,
        refusals=result.refusals,
        coordinator=USAGE.to_msg(result.coordinator),
        worker=USAGE.to_msg(result.worker),
        overhead_s=list(result.overhead_s),
        planning_s=list(result.planning_s),
        verify_wait_s=list(result.verify_wait_s),
        prompt_tokens=list(result.prompt_tokens),
    )


def result_from_msg(msg: ExecuteTask.Result) -> TaskResult:
    """What came of a goal, of a message.

    Raises:
        ValueError: a status that is not one.
    """
    return TaskResult(
        status=Status(msg.status),
        task=msg.task,
        said=msg.said,
        reason=msg.reason,
        to_confirm=msg.to_confirm,
        actions_done=tuple(msg.actions_done),
        done_before=tuple(msg.done_before),
        undone=tuple(msg.undone),
        left=tuple(msg.left),
        repeated=msg.repeated,
        retries=msg.retries,
        refusals=msg.refusals,
        coordinator=USAGE.from_msg(msg.coordinator),
        worker=USAGE.from_msg(msg.worker),
        overhead_s=tuple(msg.overhead_s),
        planning_s=tuple(msg.planning_s),
        verify_wait_s=tuple(msg.verify_wait_s),
        prompt_tokens=tuple(int(tokens) for tokens in msg.prompt_tokens),
    )


def retrieved_from_msg(msg: RetrieveMemory.Response) -> Retrieved:
    """A memory that the worker built."""
    intent = None
    if msg.open_intent_id:
        intent = OpenIntent(
            intent_id=msg.open_intent_id,
            action=msg.open_intent_action,
            object_id=msg.open_intent_object_id,
            object_name=msg.open_intent_object_name,
        )
    return Retrieved(
        text=msg.text,
        to_do=tuple(msg.to_do),
        actions_done=tuple(msg.actions_done),
        open_intent=intent,
        world_changed=tuple(msg.world_changed),
        corrections=msg.corrections,
        doubt=msg.message,
        usage=USAGE.from_msg(msg.usage),
    )


def review_from_msg(msg: ReviewCall.Response) -> Review:
    """The worker's second opinion."""
    return Review(fits=msg.fits, usage=USAGE.from_msg(msg.usage))


def status_from_msg(msg: TaskState) -> TaskStatus:
    """The state of a task."""
    return TaskStatus(
        task=msg.task,
        description=msg.description,
        actions=tuple(msg.actions),
        status=msg.status,
        actions_done=tuple(msg.actions_done),
        done_before=tuple(msg.done_before),
        undone=tuple(msg.undone),
        left=tuple(msg.left),
        open_intent=msg.open_intent,
        repeated=msg.repeated,
        retries=msg.retries,
        described=msg.described,
    )
