"""The state of a session at one moment, built from its events: everything that a page or a film shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, Phase
from lucca_core.protocol.observations import ActionEnded, GateDecision, GoalNews, LogEntry, MemoryMisread
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_llm.exchange import ModelExchange
from lucca_llm.model import Message
from lucca_view.events import (
    TOLD,
    Diagnosed,
    Event,
    JointsSeen,
    MemorySeen,
    PathPlanned,
    PictureSeen,
    ProhibitionsKnown,
    Said,
    SceneSeen,
    SessionInfo,
    TasksKnown,
)

MOST_EXCHANGES = 30
MOST_SHOWN = 200
"""Maximum number of events of each other kind that are kept for display; a recording has them all."""

_NO_MEMORY = MemorySeen(nodes=())
_NOT_ASKED = ProhibitionsKnown(unknown='the action node was not asked yet')

T = TypeVar('T')


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """A value and the wall time at which it was published."""

    wall_s: float
    value: T


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownExchange:
    """A call of a model, compared with the one before it.

    Attributes:
        is_new: for each message, whether the previous prompt did not contain it.
        left_out: messages of the previous prompt, and its answer, that this prompt no longer contains; oldest first.
    """

    wall_s: float
    exchange: ModelExchange
    is_new: tuple[bool, ...]
    left_out: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGoal:
    """A goal from its start to its end.

    Attributes:
        steps: those other than thinking.
        begun: whether it got so far that its task's log has its beginning.
        result: None while it goes on.
        waits: see `GoalNews`.
    """

    goal_id: str
    source: str
    request: GoalRequest
    given_s: float
    steps: tuple[Timed[GoalFeedback], ...] = ()
    begun: bool = False
    ended_s: float = 0.0
    result: GoalResult | None = None
    waits: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """Everything that is displayed. Lists are oldest first and bounded.

    Attributes:
        now_s: wall time of the newest event.
        told: number of events of the kinds in TOLD.
        told_s: wall times of the newest of these.
    """

    now_s: float = 0.0
    told: int = 0
    told_s: tuple[float, ...] = ()
    info: SessionInfo | None = None
    scene: Timed[Snapshot] | None = None
    joints: Mapping[str, float] = field(default_factory=dict)
    path: PathPlanned | None = None
    picture: str = ''
    tasks: tuple[TaskState, ...] = ()
    prohibitions: ProhibitionsKnown = _NOT_ASKED
    exchanges: tuple[ShownExchange, ...] = ()
    decisions: tuple[Timed[GateDecision], ...] = ()
    actions: tuple[Timed[ActionEnded], ...] = ()
    goals: tuple[ShownGoal, ...] = ()
    entries: tuple[Timed[LogEntry], ...] = ()
    corrections: tuple[Timed[MemoryMisread], ...] = ()
    said: tuple[Timed[Said], ...] = ()
    memory: MemorySeen = _NO_MEMORY
    diagnostics: Mapping[str, Diagnosed] = field(default_factory=dict)

    def after(self, event: Event) -> 'SessionView':
        """The view after one more event."""
        seen = replace(self, now_s=event.wall_s)
        if event.value.KIND in TOLD:
            seen = replace(seen, told=self.told + 1, told_s=_with(self.told_s, event.wall_s))
        match event.value:
            case SessionInfo() as info:
                return replace(seen, info=info)
            case SceneSeen(snapshot=snapshot):
                return replace(seen, scene=Timed(event.wall_s, snapshot))
            case JointsSeen(positions=positions):
                return replace(seen, joints=positions)
            case PathPlanned() as path:
                return replace(seen, path=path)
            case PictureSeen(jpeg_base64=picture):
                return replace(seen, picture=picture)
            case TasksKnown(tasks=tasks):
                return replace(seen, tasks=tasks)
            case ProhibitionsKnown() as prohibitions:
                return replace(seen, prohibitions=prohibitions)
            case MemorySeen() as memory:
                return replace(seen, memory=memory)
            case Diagnosed() as found:
                return replace(seen, diagnostics={**self.diagnostics, found.part: found})
            case Said() as said:
                return replace(seen, said=_with(self.said, Timed(event.wall_s, said)))
            case ModelExchange() as exchange:
                shown = self._shown(event.wall_s, exchange)
                return replace(seen, exchanges=(*self.exchanges, shown)[-MOST_EXCHANGES:])
            case GateDecision() as decision:
                return replace(seen, decisions=_with(self.decisions, Timed(event.wall_s, decision)))
            case ActionEnded() as ended:
                return replace(seen, actions=_with(self.actions, Timed(event.wall_s, ended)))
            case GoalNews() as news:
                return replace(seen, goals=self._told(event.wall_s, news))
            case LogEntry() as entry:
                return replace(seen, entries=_with(self.entries, Timed(event.wall_s, entry)))
            case MemoryMisread() as corrected:
                return replace(seen, corrections=_with(self.corrections, Timed(event.wall_s, corrected)))
            case _:
                return seen

    def after_all(self, events: Iterable[Event]) -> 'SessionView':
        """The view after several more events."""
        seen = self
        for event in events:
            seen = seen.after(event)
        return seen

    def _shown(self, wall_s: float, exchange: ModelExchange) -> ShownExchange:
        asked = [item.exchange for item in self.exchanges if item.exchange.asker == exchange.asker]
        before: dict[Message, None] = {}
        if asked:
            answer = asked[-1].reply
            before = dict.fromkeys((*asked[-1].messages, *([Message('assistant', answer.text)] if answer else [])))
        sent = set(exchange.messages)
        return ShownExchange(
            wall_s=wall_s,
            exchange=exchange,
            is_new=tuple(message not in before for message in exchange.messages),
            left_out=tuple(message for message in before if message not in sent),
        )

    def _told(self, wall_s: float, news: GoalNews) -> tuple[ShownGoal, ...]:
        known = {goal.goal_id: goal for goal in self.goals}
        thinks = news.step is not None and news.step.phase is Phase.THINKING
        goal = known.get(news.goal_id) or ShownGoal(
            goal_id=news.goal_id, source=news.source, request=news.request, given_s=wall_s
        )
        # The steps of a task are counted from 1, and the first one comes after the beginning is in its log.
        begun = goal.begun or (news.step is not None and news.step.step > 0)
        if thinks and news.result is None and news.goal_id in known and begun == goal.begun:
            return self.goals
        if news.step is not None and not thinks:
            goal = replace(goal, steps=_with(goal.steps, Timed(wall_s, news.step)))
        if news.result is not None:
            goal = replace(goal, result=news.result, ended_s=wall_s, waits=news.waits)
        return tuple({**known, goal.goal_id: replace(goal, begun=begun)}.values())[-MOST_SHOWN:]


def _with(shown: tuple[T, ...], new: T) -> tuple[T, ...]:
    return (*shown, new)[-MOST_SHOWN:]
