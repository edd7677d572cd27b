"""Fakes for the coordinator's ports, and a harness that runs goals on them without waiting."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

# Test modules are imported by path; what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))

from fake_people import NOW, FakePeople

from coordinator_node.config import CoordinatorConfig
from coordinator_node.goals.goal_dispatcher import GoalDispatcher
from coordinator_node.interfaces import Goal, TaskResult, never
from coordinator_node.model_caller import ModelCaller
from coordinator_node.talk.agent import Agent
from coordinator_node.tasks.changes import no_changes
from coordinator_node.tasks.goal_run import GoalRun
from coordinator_node.tasks.parts import Parts, make_parts
from coordinator_node.waits import Waits
from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.goals import GoalFeedback
from lucca_core.protocol.prohibitions import (
    Prohibition,
    ProhibitionChange,
    ProhibitionRequest,
    ProhibitionsAnswer,
)
from lucca_core.protocol.retrieved import OpenIntent, Retrieved, Review
from lucca_core.protocol.snapshots import Container, Snapshot, TableObject
from lucca_core.protocol.tasks import TaskState
from lucca_core.protocol.usage import ModelUsage
from lucca_language.prohibitions import is_lifted
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatReply, Message
from lucca_memory.procedural import TaskSpec

DECLARATIVE, WORKING = '<retrieve_declarative_memory(tidy)>', '<retrieve_working_memory(tidy)>'


class FakeClock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass
class ScriptedModel:
    """Answers from a list; an exception in it is raised. Without a list it does as a good model would."""

    answers: list[object] | None = None
    asked: list[list[Message]] = field(default_factory=list)
    options: list[object] = field(default_factory=list)
    on_chat: Callable[[], None] = lambda: None
    spec: str = 'scripted'

    def chat(self, messages: Sequence[Message], options, *, on_text=None, cancelled=None) -> ChatReply:
        self.asked.append(list(messages))
        self.options.append(options)
        self.on_chat()
        answer = self._good(messages[-1].content) if self.answers is None else self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return ChatReply(
            text=str(answer), prompt_tokens=estimate_prompt_tokens(messages), completion_tokens=5, model_s=0.5
        )

    def check(self, deadline_s: float) -> None:
        pass

    @staticmethod
    def _good(question: str) -> str:
        if 'Declarative memory of tidy\nnot retrieved' in question:
            return DECLARATIVE
        if 'Working memory of tidy\nnot retrieved' in question:
            return WORKING
        if 'still ask to be given to' in question:
            return question.split('Objects on the table: ')[1].split('\n')[0]
        to_do = question.split('in order: ')[1].split('\n')[0]
        return '<finish_task(tidy)>' if to_do == 'none' else f'<move_to_box_1({to_do.split(", ")[0]})>'


@dataclass
class FakeWorld:
    """A table, its memory and its arms in one: what is moved to box 1 is there and is remembered."""

    clock: FakeClock
    names: tuple[str, ...] = ('apple', 'banana', 'pear')
    boxed: list[str] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    open_intent: OpenIntent | None = None
    taught: dict[str, str] = field(default_factory=dict)
    requests: list[ActionRequest] = field(default_factory=list)
    settled: list[OpenIntent] = field(default_factory=list)
    codes: list[object] = field(default_factory=list)
    faults: dict[str, list[Exception]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    on_execute: Callable[[], None] = lambda: None
    effect_after_crash: bool = False
    doubt: str = ''
    elsewhere: dict[str, str] = field(default_factory=dict)
    opinions: list[Review] = field(default_factory=list)
    reviewed: list[str] = field(default_factory=list)
    decided: tuple[str, ...] = ()
    """The calls that the worker has decided on; none: it only lists objects."""

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.faults.get(name):
            raise self.faults[name].pop(0)

    def now_s(self) -> float:
        return self.clock.now_s

    def fresh(self, newer_than_s: float, timeout_s: float, *, cancelled) -> Snapshot:
        self._called('fresh')
        self.clock.now_s += 0.1
        return self.snapshot()

    def snapshot(self) -> Snapshot:
        objects = tuple(
            TableObject(
                object_id=f'id-{name}',
                name=name,
                label=name,
                container='box 1' if name in self.boxed else self.elsewhere.get(name, 'table'),
            )
            for name in self.names
        )
        box = Container(name='box 1', contents=tuple(self.boxed))
        return Snapshot(stamp_s=self.clock.now_s, objects=objects, containers=(box,))

    def _retrieved(self, text: str, snapshot: Snapshot) -> Retrieved:
        to_do = tuple(item.name for item in snapshot.on_table())
        return Retrieved(
            text=text.format(', '.join(to_do) or 'none'),
            to_do=to_do,
            calls=self.decided if to_do else (),
            actions_done=self.done(),
            open_intent=self.open_intent,
            doubt=self.doubt,
            usage=ModelUsage(model='fake', calls=1, prompt_tokens=10, completion_tokens=2, model_s=0.1),
        )

    def done(self) -> tuple[str, ...]:
        return tuple(f'<move_to_box_1({name})>' for name in self.boxed)

    def declarative(self, task: str, snapshot: Snapshot, *, cancelled) -> Retrieved:
        self._called('declarative')
        return self._retrieved('Something was done.', snapshot)

    def working(self, task: str, snapshot: Snapshot, *, cancelled, prohibited=()) -> Retrieved:
        self._called('working')
        return self._retrieved('Objects still to handle, in order: {}', snapshot)

    def review(self, task: str, proposed: str, snapshot: Snapshot, *, cancelled, prohibited=()) -> Review:
        self._called('review')
        self.reviewed.append(proposed)
        return self.opinions.pop(0) if self.opinions else Review(fits=True, usage=ModelUsage(model='fake', calls=1))

    def record(
        self, task: str, kind: str, snapshot: Snapshot, *, code: str = '', note: str = '', description: str = ''
    ) -> int:
        self._called(kind)
        self.log.append((kind, code))
        self.notes.append(note)
        return len(self.log)

    def tasks(self) -> tuple[TaskState, ...]:
        self._called('tasks')
        # As in LogReplay: what is refused stays suspended if something was done.
        refused = 'suspended' if self.boxed else 'new'
        after = {'started': 'running', 'resumed': 'running', 'refused': refused}
        status = after.get(self.log[-1][0], self.log[-1][0]) if self.log else 'new'
        tidy = TaskState(
            task='tidy',
            description='All fruit goes to box 1.',
            status=status,
            actions_done=self.done(),
            open_intent=self.open_intent.action if self.open_intent else '',
        )
        return tidy, *(TaskState(task=name, description=text) for name, text in self.taught.items())

    def teach(self, name: str, description: str, actions: tuple[str, ...] = ()) -> str:
        self._called('teach')
        name = name or next(
            (known for known, text in self.taught.items() if text == description), f'request-{len(self.taught) + 1}'
        )
        self.taught[name] = description
        return name

    def execute(self, request: ActionRequest, *, cancelled) -> ActionResult:
        self._called('execute')
        self.requests.append(request)
        self.on_execute()
        code = self.codes.pop(0) if self.codes else ReasonCode.DONE
        name = request.text.split('(')[1].split(')')[0]
        if isinstance(code, Exception):
            self.open_intent = OpenIntent(intent_id=7, action=request.text, object_id=f'id-{name}', object_name=name)
            if self.effect_after_crash:
                self.boxed.append(name)
            raise code
        if cancelled():
            return ActionResult(code=ReasonCode.CANCELLED, action=request.text, attempts=1, intent_id=3, outcome_id=4)
        if code is ReasonCode.DONE:
            self.boxed.append(name)
        moved = 0 if code.is_refusal else 1
        return ActionResult(
            code=code,
            message='as asked',
            action=request.text,
            attempts=moved,
            overhead_before_s=0.003,
            overhead_after_s=0.004,
        )

    def settle(self, task: str, intent: OpenIntent, snapshot: Snapshot, *, cancelled) -> ActionResult:
        self._called('settle')
        self.settled.append(intent)
        self.open_intent = None
        code = ReasonCode.DONE if intent.object_name in self.boxed else ReasonCode.EFFECT_NOT_SEEN
        return ActionResult(code=code, action=intent.action, intent_id=intent.intent_id, outcome_id=9)


@dataclass
class FakeProhibitions:
    """Keeps prohibitions in memory; every word is known."""

    kept: list[Prohibition] = field(default_factory=list)
    fault: Exception | None = None
    asked: list[ProhibitionRequest] = field(default_factory=list)

    def ask(self, request: ProhibitionRequest, *, cancelled=never) -> ProhibitionsAnswer:
        self.asked.append(request)
        if self.fault is not None:
            raise self.fault
        changed: list[Prohibition] = []
        if request.change is ProhibitionChange.ADD:
            said = Prohibition(what=request.what, place=request.place, person=request.person)
            changed = [item for item in self.kept if (item.what, item.place) == (said.what, said.place)] or [said]
            self.kept += [item for item in changed if item not in self.kept]
        elif request.change is ProhibitionChange.LIFT:
            changed = [item for item in self.kept if is_lifted(item, request.what, request.place)]
            self.kept = [item for item in self.kept if item not in changed]
        return ProhibitionsAnswer(prohibitions=tuple(self.kept), changed=tuple(changed))


@dataclass
class Harness:
    """Runs goals for the task `tidy`."""

    clock: FakeClock = field(default_factory=FakeClock)
    model: ScriptedModel = field(default_factory=ScriptedModel)
    events: list[GoalFeedback] = field(default_factory=list)
    prohibitions: FakeProhibitions = field(default_factory=FakeProhibitions)

    def __post_init__(self) -> None:
        self.world = FakeWorld(self.clock)

    def parts(self, **settings) -> Parts:
        tidy = TaskSpec(name='tidy', description='All fruit goes to box 1.', actions=('move_to_box_1',))
        return make_parts(
            self.model,
            self.world,
            self.world,
            self.world,
            CoordinatorConfig(**{'restate': False, **settings}),
            tasks={'tidy': tidy},
            waits=Waits(self.clock, self.clock.sleep),
            wall_clock=self.clock,
            prohibitions=self.prohibitions,
        )

    def waits(self) -> Waits:
        return Waits(self.clock, self.clock.sleep)

    def agent(self, people=None, **settings) -> Agent:
        config = CoordinatorConfig(**settings)
        return Agent(
            ModelCaller(self.model, config, self.waits()),
            self.world,
            config,
            people=people,
            waits=self.waits(),
            now=NOW,
            prohibitions=self.prohibitions,
        )

    def dispatcher(self, people=None, **settings) -> GoalDispatcher:
        return GoalDispatcher(self.parts(**settings), self.agent(people, **settings))

    def run(self, *, cancelled=never, preempted=never, settings=None, changes=no_changes, **goal) -> TaskResult:
        goal = Goal(goal_id='g', **{'task': 'tidy', **goal})
        return GoalRun(self.parts(**settings or {}), goal, cancelled, preempted, self.events.append, changes).run()


@pytest.fixture
def people() -> FakePeople:
    return FakePeople()


@pytest.fixture
def harness() -> Harness:
    return Harness()
