"""The coordinator's values to messages and back."""

from collections.abc import Sequence

from lucca_interfaces.action import ExecuteAction, ExecuteTask
from lucca_interfaces.msg import Entry as EntryMsg
from lucca_interfaces.msg import TaskState
from lucca_interfaces.srv import RetrieveMemory, ReviewCall

from coordinator_node.ports import (
    ActionReport,
    ActionRequest,
    Goal,
    OpenIntent,
    Retrieved,
    Review,
    Status,
    TaskEvent,
    TaskResult,
    TaskStatus,
)
from lucca_core.codes import ReasonCode
from lucca_core.values import Snapshot
from lucca_ros.conversions import snapshot_from_msg, snapshot_to_msg, usage_from_msg, usage_to_msg


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
        coordinator=usage_to_msg(result.coordinator),
        worker=usage_to_msg(result.worker),
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
        coordinator=usage_from_msg(msg.coordinator),
        worker=usage_from_msg(msg.worker),
        overhead_s=tuple(msg.overhead_s),
        planning_s=tuple(msg.planning_s),
        verify_wait_s=tuple(msg.verify_wait_s),
        prompt_tokens=tuple(int(tokens) for tokens in msg.prompt_tokens),
    )


def action_to_msg(request: ActionRequest) -> ExecuteAction.Goal:
    """An action to be done."""
    return ExecuteAction.Goal(
        text=request.text,
        task=request.task,
        allowed_actions=list(request.allowed_actions),
        snapshot=snapshot_to_msg(request.snapshot),
        confirmed_by=request.confirmed_by,
        answered_wall_s=request.answered_wall_s,
    )


def settle_to_msg(
    task: str, intent: OpenIntent, allowed_actions: Sequence[str], snapshot: Snapshot
) -> ExecuteAction.Goal:
    """An open intent to be judged; its object under the name that it has now, which may not be that of the intent."""
    name = intent.action.lstrip('<').partition('(')[0]
    return ExecuteAction.Goal(
        text=f'<{name}({intent.object_name})>' if intent.object_name else intent.action,
        task=task,
        allowed_actions=list(allowed_actions),
        snapshot=snapshot_to_msg(snapshot),
        settle_intent_id=intent.intent_id,
    )


def action_from_msg(msg: ExecuteAction.Goal) -> ActionRequest:
    """The action of a message that is not about an open intent.

    Raises:
        ValueError: the snapshot is not one.
    """
    return ActionRequest(
        text=msg.text,
        task=msg.task,
        allowed_actions=tuple(msg.allowed_actions),
        snapshot=snapshot_from_msg(msg.snapshot),
        confirmed_by=msg.confirmed_by,
        answered_wall_s=msg.answered_wall_s,
    )


def report_to_msg(report: ActionReport) -> ExecuteAction.Result:
    """How an action ended."""
    return ExecuteAction.Result(
        code=str(report.code),
        message=report.message,
        action=report.action,
        object_id=report.object_id,
        intent_id=report.intent_id,
        outcome_id=report.outcome_id,
        attempts=report.attempts,
        duration_s=report.duration_s,
        overhead_before_s=report.overhead_before_s,
        planning_s=report.planning_s,
        overhead_after_s=report.overhead_after_s,
        verify_wait_s=report.verify_wait_s,
    )


def report_from_msg(msg: ExecuteAction.Result) -> ActionReport:
    """How an action ended, of a message.

    Raises:
        ValueError: a code that is not one.
    """
    return ActionReport(
        code=ReasonCode(msg.code),
        message=msg.message,
        action=msg.action,
        object_id=msg.object_id,
        intent_id=msg.intent_id,
        outcome_id=msg.outcome_id,
        attempts=msg.attempts,
        duration_s=msg.duration_s,
        overhead_before_s=msg.overhead_before_s,
        planning_s=msg.planning_s,
        overhead_after_s=msg.overhead_after_s,
        verify_wait_s=msg.verify_wait_s,
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
        usage=usage_from_msg(msg.usage),
    )


def review_from_msg(msg: ReviewCall.Response) -> Review:
    """The worker's second opinion."""
    return Review(fits=msg.fits, usage=usage_from_msg(msg.usage))


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


def entry_to_msg(task: str, kind: str, snapshot: Snapshot, code: str, note: str) -> EntryMsg:
    """An entry about a goal: started, resumed, suspended or finished."""
    return EntryMsg(task=task, kind=kind, code=code, note=note, table=snapshot_to_msg(snapshot))
