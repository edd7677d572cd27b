"""Attack on described tasks: random sequences of describing, teaching, running, suspending and forgetting."""

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from coordinator_node.prompts import CoordinatorPrompts, TurnView
from coordinator_node.tasks.task_definitions import for_conversation
from lucca_cli.local_memory import LocalMemory
from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind, EntryRequest
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_lab.attack.attack import Attack, Broken, Counts, Trial
from lucca_llm.model_spec import make_model
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore
from lucca_memory.declarative.replay import TaskStatus as Stands
from lucca_memory.procedural import MOST_DESCRIPTION_CHARS, load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from worker_node.config import WorkerConfig
from worker_node.recorder import Recorder
from worker_node.worker import Worker

_STEPS = 40
_MOST_CHARS = 4000
_TYPABLE = re.compile(r'[a-z0-9-]{1,20}')
_THINGS = ('cup', 'can', 'pear', 'Cup', ' cup', 'banana\n')
_WEIGHTS = {'describe': 8, 'teach': 3, 'enter': 10, 'forget': 3, 'clock': 4, 'restart': 1, 'too long': 1}
_LONG_S = (0, 60, 3_600, 86_400, 6.9 * 86_400, 7.1 * 86_400, 400 * 86_400, -3_600, -30 * 86_400)


class _Robot:
    """A worker on a folder, with a clock that can be set, and what must hold of its tasks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = datetime(2026, 3, 1, tzinfo=UTC)
        self.must_stay: dict[str, str] = {}
        self.recorded: set[str] = set()
        self.start()

    def start(self) -> None:
        self.data = DataFolder.open(self.folder, write=True)
        book = TaskBook(load_tasks(), load_actions(), self.data, lambda: self.time)
        self.logs = LogStore(self.data, lambda: self.time)
        self.worker = Worker(
            make_model('embedded'), book, Recorder(book, self.logs), WorkerConfig(), now=lambda: self.time
        )

    def restart(self) -> None:
        self.data.close()
        self.start()

    def tasks(self) -> tuple[TaskState, ...]:
        return LocalMemory(self.worker).tasks()

    def check(self) -> int:
        tasks = self.tasks()
        names = [item.task for item in tasks]
        if len(set(names)) != len(names):
            raise Broken(f'a name stands twice: {names}')
        if bad := [item.task for item in tasks if item.described and not _TYPABLE.fullmatch(item.task)]:
            raise Broken(f'nobody can type {bad[0]!r}')
        if lost := [name for name in self.must_stay if name not in names]:
            raise Broken(f'{lost[0]} was {self.must_stay[lost[0]]} and is gone')
        view = TurnView(text='go on', now='now', tasks=for_conversation(tasks, 'go on'))
        prompt = CoordinatorPrompts().conversation_turn(view, 600, native=False)
        named = sum(len(item.description) + len(item.task) for item in tasks if not item.described)
        if len(prompt) > _MOST_CHARS + 2 * named:
            raise Broken(f'the prompt has {len(prompt)} characters with {len(tasks)} tasks')
        return len(tasks)


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    numbers = iter(range(10**9))

    def trial(chance: random.Random) -> Counts:
        robot = _Robot(folder / str(next(numbers)))
        counts = {'steps': 0, 'described': 0, 'forgotten': 0}
        try:
            for _ in range(_STEPS):
                step = chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
                before = {item.task for item in robot.tasks()}
                _do(step, robot, chance, counts)
                robot.check()
                counts['steps'] += 1
                counts['forgotten'] += len(before - {item.task for item in robot.tasks()})
        finally:
            robot.data.close()
        return counts

    yield trial


def _do(step: str, robot: _Robot, chance: random.Random, counts: dict[str, int]) -> None:
    names = [item.task for item in robot.tasks()]
    if step == 'describe':
        name = robot.worker.teach('', f'give me the {chance.choice(_THINGS)} {chance.randrange(12)}')
        if name not in names and name in robot.recorded:
            raise Broken(f'{name} was the name of another task, of which something is recorded')
        counts['described'] += name not in names
    elif step == 'teach':
        name = chance.choice(('breakfast', 'supper', 'sorting', 'tea 4'))
        robot.worker.teach(name, f'give me the {chance.choice(_THINGS)}')
        robot.must_stay[name] = 'taught by name'
    elif step == 'too long':
        try:
            robot.worker.teach(chance.choice(('', 'x')), 'cup ' * chance.choice((MOST_DESCRIPTION_CHARS, 500_000)))
        except MemoryFault:
            return
        raise Broken('a description without end was kept')
    elif step == 'enter':
        _enter(chance.choice(names), robot, chance)
    elif step == 'forget':
        _forget(chance.choice(names), robot, force=chance.random() < 0.3)
    elif step == 'clock':
        robot.time += timedelta(seconds=chance.choice(_LONG_S))
    else:
        robot.restart()


def _enter(name: str, robot: _Robot, chance: random.Random) -> None:
    kind = chance.choice(
        (EntryKind.STARTED, EntryKind.SUSPENDED, EntryKind.RESUMED, EntryKind.FINISHED, EntryKind.FINISHED)
    )
    robot.worker.recorder.record(EntryRequest(task=name, kind=kind, snapshot=Snapshot()))
    robot.recorded.add(name)
    if kind is EntryKind.FINISHED:
        if robot.must_stay.get(name) != 'taught by name':
            robot.must_stay.pop(name, None)
    else:
        robot.must_stay.setdefault(name, str(Stands.SUSPENDED if kind is EntryKind.SUSPENDED else Stands.RUNNING))


def _forget(name: str, robot: _Robot, *, force: bool) -> None:
    entries: tuple[Entry, ...] = robot.logs.log(name).entries
    begun = robot.logs.log(name).state.status in (Stands.RUNNING, Stands.SUSPENDED)
    try:
        aside = robot.worker.forget(name, force=force)
    except MemoryFault:
        return
    if begun and not force:
        raise Broken(f'{name} was not finished and was forgotten')
    if name not in load_tasks() and bool(entries) != bool(aside):
        raise Broken(f'{name} had {len(entries)} entries; they are now in {aside!r}')
    if aside and not (robot.data.tasks_path / aside).exists():
        raise Broken(f'what was recorded of {name} is not in {aside}')
    robot.must_stay.pop(name, None)


PART = Attack(
    name='described-tasks',
    promise='A described task keeps a short unique name until its end; prompts do not grow with its length.',
    open=_open,
    sample=3,
    count=2000,
)
