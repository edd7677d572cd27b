"""Repeated decisions: the prompts of a recorded session are put to a model, and its answers to parser and gate."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from action_node.gate.call_parser import parse_action
from action_node.gate.gate import Gate, Situation
from coordinator_node.call_parser import NotACall, is_reserved, read_call
from lucca_core.errors import MotionError, RefusalError
from lucca_core.protocol.observations import PERMITTED, GateDecision, GoalNews
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_llm.exchange import ModelExchange
from lucca_llm.model import ChatModel, ChatReply
from lucca_view.events import Event, SceneSeen, TasksKnown

COORDINATOR = 'coordinator'
_MOST_CHARS = 8192
_DEADLINE_S = 300.0


@dataclass(frozen=True, slots=True)
class DifferentDecision:
    """A step that is decided differently: both decisions, and the gate's verdict on the new one."""

    step: int
    recorded: str
    now: str
    gate: str


@dataclass(frozen=True, slots=True)
class Decided:
    """The number of steps decided again, the number of equal decisions, and the different ones."""

    steps: int
    same: int
    different: tuple[DifferentDecision, ...]


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One prompt of the coordinator with its answer, and the situation in which the gate judged that answer."""

    exchange: ModelExchange
    reply: ChatReply
    situation: Situation
    gate: str


Watched = Callable[[Iterable[RecordedStep], int], Iterable[RecordedStep]]
"""Receives the steps and their number, and passes the steps on; used for a progress bar."""


def _unwatched(steps: Iterable[RecordedStep], total: int) -> Iterable[RecordedStep]:
    return steps


def decide_again(events: Sequence[Event], model: ChatModel, gate: Gate, watched: Watched = _unwatched) -> Decided:
    """Puts every prompt that the coordinator's model answered to `model`; recorded answers are only compared.

    A decision is the call that an answer consists of, or else the answer itself. Two decisions are the same if they
    read the same and get the same verdict from the gate.

    Raises:
        ModelError: the model gave no answer.
    """
    different = []
    steps = list(recorded_steps(events))
    for number, step in enumerate(watched(steps, len(steps)), 1):
        options = replace(step.exchange.options, deadline_s=_DEADLINE_S)
        reply = model.chat(step.exchange.messages, options)
        recorded, now = decision(step.reply), decision(reply)
        verdict = _verdict(reply, step.situation, gate)
        if recorded != now or verdict != (step.gate or _verdict(step.reply, step.situation, gate)):
            different.append(DifferentDecision(number, recorded, now, verdict))
    return Decided(len(steps), len(steps) - len(different), tuple(different))


def decision(reply: ChatReply) -> str:
    """The decision in an answer, in a form that can be compared."""
    if reply.tool_calls:
        return ' '.join(f'{call.name}({call.arguments})' for call in reply.tool_calls)
    try:
        return str(read_call(reply.text, _MOST_CHARS))
    except NotACall:
        return reply.text.strip()


def recorded_steps(events: Sequence[Event]) -> Iterator[RecordedStep]:
    """The steps of a session, in order; failed model calls are left out."""
    snapshot, task = Snapshot(), ''
    tasks: tuple[TaskState, ...] = ()
    asked: ModelExchange | None = None
    judged: GateDecision | None = None

    def step() -> Iterator[RecordedStep]:
        if asked is not None and asked.reply is not None:
            yield RecordedStep(
                asked,
                asked.reply,
                _situation(judged, snapshot_then, tasks_then, task_then),
                judged.code if judged else '',
            )

    snapshot_then, tasks_then, task_then = snapshot, tasks, task
    for event in events:
        match event.value:
            case SceneSeen(snapshot=seen):
                snapshot = seen
            case TasksKnown(tasks=known):
                tasks = known
            case GoalNews(request=request):
                task = request.task or task
            case GateDecision() as told if asked is not None and judged is None:
                judged = told
            case ModelExchange(asker=asker) as exchange if asker == COORDINATOR:
                yield from step()
                asked, judged = exchange, None
                snapshot_then, tasks_then, task_then = snapshot, tasks, task
    yield from step()


def _situation(judged: GateDecision | None, snapshot: Snapshot, tasks: Sequence[TaskState], task: str) -> Situation:
    if judged is None:
        # The recorded answer did not reach the gate; an action in its place would have been judged in this situation.
        allowed = next((frozenset(item.actions) for item in tasks if item.task == task), frozenset[str]())
        return Situation(snapshot=snapshot, allowed_actions=allowed)
    return Situation(
        snapshot=judged.request.snapshot,
        allowed_actions=frozenset(judged.request.allowed_actions),
        confirmed_by=judged.request.confirmed_by,
        stopped=judged.stopped,
        busy=judged.busy,
        arms_clear=judged.arms_clear,
    )


def _verdict(reply: ChatReply, situation: Situation, gate: Gate) -> str:
    """The verdict of parser and gate on an answer; '' if the answer does not concern them."""
    try:
        if is_reserved(read_call(reply.text, _MOST_CHARS)):
            return ''
    except NotACall as error:
        return str(error.code) if '<' in reply.text else ''
    try:
        gate.check(parse_action(reply.text), situation)
    except (RefusalError, MotionError) as error:
        return str(error.code)
    return PERMITTED
