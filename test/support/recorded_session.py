"""A small session, drawn by hand: a task, its prompts, a refusal, and what is seen."""

from pathlib import Path

from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionRequest, ActionResult
from lucca_core.protocol.goals import GoalFeedback, GoalRequest, GoalResult, Phase, Status
from lucca_core.protocol.observations import (
    ActionEnded,
    GateDecision,
    GoalNews,
    LogEntry,
    MemoryMisread,
    Observable,
)
from lucca_core.protocol.snapshots import Container, Pose, Snapshot, TableObject
from lucca_core.protocol.tasks import TaskState
from lucca_llm.exchange import ModelExchange
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_memory.declarative.entry import Entry, EntryKind, entry_to_text
from lucca_view.events import Diagnosed, Event, JointsSeen, Said, SceneSeen, SessionInfo, TasksKnown
from lucca_view.recording.redaction import Redaction
from lucca_view.recording.writer import SessionWriter
from lucca_view.session import SessionView  # noqa: F401 - for the tests

INFO = SessionInfo(lucca_version='0', robot='nicol')
BEGAN_S = 1_700_000_000.0
PEAR = TableObject(object_id='1', name='pear', label='pear', pose_world=Pose((0.5, 0.1, 0.83)))
SNAPSHOT = Snapshot(stamp_s=1.0, objects=(PEAR,), containers=(Container(name='box 1'),))


def exchange(question: str, answer: str, asker: str = 'coordinator', goal: str = '') -> ModelExchange:
    reply = ChatReply(text=answer, prompt_tokens=100, completion_tokens=5, model_s=0.01)
    messages = (Message('system', 'You are a robot.'), Message('user', question))
    options = ChatOptions()
    return ModelExchange(asker=asker, model='embedded', messages=messages, options=options, reply=reply, goal=goal)


def news(goal_id: str = 'g1', person: str = '', text: str = '', **more: object) -> GoalNews:
    request = GoalRequest(task='' if text else 'sorting', text=text, person=person)
    return GoalNews(goal_id=goal_id, source='cli', request=request, **more)  # type: ignore[arg-type]


def decision(code: str = 'permitted', text: str = '<move_to_box_1(pear)>') -> GateDecision:
    request = ActionRequest(text=text, task='sorting', allowed_actions=('move_to_box_1',), snapshot=SNAPSHOT)
    return GateDecision(request=request, action=text, code=code, message='' if code == 'permitted' else 'because')


def values() -> tuple[Observable, ...]:
    entry = Entry(entry_id=1, kind=EntryKind.INTENT, action='<move_to_box_1(pear)>', object_name='pear')
    step = GoalFeedback(step=1, phase=Phase.ACTING, text='<move_to_box_1(pear)>')
    done = ActionResult(code=ReasonCode.DONE, action='<move_to_box_1(pear)>', planning_s=0.03, duration_s=4.0)
    return (
        SceneSeen(snapshot=SNAPSHOT),
        JointsSeen(positions={'l_shoulder_z': 0.5}),
        TasksKnown(tasks=(TaskState(task='sorting', description='Sort.', actions=('move_to_box_1',)),)),
        Diagnosed(part='action', level='ok', message='ready'),
        news(),
        exchange('What next?', '<move_to_box_1(pear)>'),
        decision(),
        LogEntry(task='sorting', text=entry_to_text(entry)),
        MemoryMisread(task='sorting', misread=('In box 1: it said pear; the log says none',)),
        news(step=step),
        ActionEnded(task='sorting', result=done),
        decision('unknown_object', '<move_to_box_1(unicorn)>'),
        Said(by_robot=True, person='', text='I have finished sorting.'),
        news(result=GoalResult(status=Status.FINISHED, task='sorting', said='I have finished sorting.')),
    )


def events(shown: tuple[Observable, ...] | None = None) -> tuple[Event, ...]:
    told = values() if shown is None else shown
    return tuple(Event(wall_s=BEGAN_S + 0.5 * n, stamp_s=1.0 + n, value=value) for n, value in enumerate(told))


def write(file: Path, shown: tuple[Event, ...] | None = None, redaction: Redaction | None = None, **sizes: int) -> None:
    writer = SessionWriter(file, INFO, redaction or Redaction({}), **sizes)
    for event in events() if shown is None else shown:
        writer.write(event)
    writer.close()
