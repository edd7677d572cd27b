"""Described tasks are given up some time after their end, taught ones when they are named; what was recorded stays."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook
from lucca_memory.task_forgetting import forget_expired, forget_task

WEEK = timedelta(days=7)


class Memory:
    """A book and its logs at a time that can be set."""

    def __init__(self, folder: DataFolder) -> None:
        self.time = datetime(2026, 3, 1, tzinfo=UTC)
        self.folder = folder
        self.logs = LogStore(folder, lambda: self.time)
        self.book = TaskBook(load_tasks(), load_actions(), folder, lambda: self.time)

    def describe(self, text: str, *kinds: str) -> str:
        name = self.book.teach('', text).name
        for kind in kinds:
            self.write(name, kind)
        return name

    def write(self, name: str, kind: str) -> None:
        intent = {'action': '<give(cup)>', 'object_id': 'o1', 'object_name': 'cup'} if kind == 'intent' else {}
        self.logs.log(name).append(Entry(kind=EntryKind(kind), **intent))

    def after(self, days: float) -> tuple[str, ...]:
        self.time += timedelta(days=days)
        return forget_expired(self.book, self.logs, self.time, WEEK)


@pytest.fixture
def memory(folder: DataFolder) -> Memory:
    return Memory(folder)


@pytest.mark.parametrize('kinds', [(), ('started', 'finished')])
def test_a_described_task_that_has_ended_is_forgotten_after_its_time(memory: Memory, kinds: tuple[str, ...]) -> None:
    name = memory.describe('Give me the cup.', *kinds)
    memory.book.teach('breakfast', 'Eggs.')
    assert memory.after(6.9) == ()
    assert memory.after(0.2) == (name,)
    assert memory.book.get(name) is None
    assert memory.book.get('breakfast') is not None
    assert len(list(memory.folder.tasks_path.glob(f'{name}.log.forgotten-*'))) == bool(kinds)
    assert TaskBook({}, load_actions(), memory.folder).get(name) is None


@pytest.mark.parametrize(
    'kinds', [('started',), ('started', 'suspended'), ('started', 'intent'), ('intent', 'finished')]
)
def test_what_has_not_ended_is_never_forgotten(memory: Memory, kinds: tuple[str, ...]) -> None:
    name = memory.describe('Give me the cup.', *kinds)
    assert memory.after(10_000) == ()
    assert memory.book.get(name) is not None


def test_what_is_used_lives_on(memory: Memory) -> None:
    name = memory.describe('Give me the cup.', 'started', 'finished')
    memory.time += timedelta(days=5)
    memory.write(name, 'started')
    memory.write(name, 'finished')
    assert memory.after(5) == ()
    assert memory.describe('give me the  cup.') == name
    assert memory.after(5) == ()
    assert memory.after(5) == (name,)


def test_a_log_that_cannot_be_read_keeps_its_task(memory: Memory) -> None:
    name = memory.describe('Give me the cup.', 'started', 'finished')
    path = memory.folder.tasks_path / f'{name}.log'
    path.write_bytes(path.read_bytes().replace(b'finished', b'finishid'))
    memory.logs = LogStore(memory.folder)
    assert memory.after(100) == ()


def test_a_clock_that_was_set_back_forgets_nothing(memory: Memory) -> None:
    name = memory.describe('Give me the cup.', 'started', 'finished')
    assert memory.after(-10_000) == ()
    assert memory.after(10_000) == ()
    assert memory.book.get(name) is not None


@pytest.mark.parametrize('kind', ['started', 'suspended'])
def test_a_task_that_has_not_ended_is_forgotten_by_force_only(memory: Memory, kind: str) -> None:
    name = memory.describe('Give me the cup.', kind)
    with pytest.raises(MemoryFault, match=f'{name} is .*--force'):
        forget_task(memory.book, memory.logs, name)
    assert memory.book.get(name) is not None
    aside = forget_task(memory.book, memory.logs, name, force=True)
    assert aside is not None
    assert aside.exists()
    assert memory.book.get(name) is None


def test_a_task_with_an_open_intent_is_not_forgotten_even_by_force(memory: Memory) -> None:
    name = memory.describe('Give me the cup.', 'started', 'intent')
    with pytest.raises(MemoryFault, match=r'<give\(cup\)> of .* under way'):
        forget_task(memory.book, memory.logs, name, force=True)
    assert memory.book.get(name) is not None


@pytest.mark.parametrize(
    ('name', 'reason'), [('sorting', 'config/tasks.yaml'), ('ironing', "no task is named 'ironing'")]
)
def test_what_was_not_taught_is_not_forgotten(memory: Memory, name: str, reason: str) -> None:
    with pytest.raises(MemoryFault, match=reason):
        forget_task(memory.book, memory.logs, name, force=True)


def test_a_task_of_the_configuration_is_there_again_with_its_log(memory: Memory) -> None:
    memory.book.teach('sorting', 'Do nothing.')
    memory.write('sorting', 'finished')
    assert forget_task(memory.book, memory.logs, 'sorting') is None
    assert memory.book.get('sorting') == load_tasks()['sorting']
    assert len(memory.logs.log('sorting').entries) == 1


@contextmanager
def nothing_left_to_write_on(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as patch:
        patch.setattr(f'pathlib.Path.{name}', full)
        yield


def test_logs_that_are_set_aside_at_the_same_time_by_the_clock_are_all_kept(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path, write=True) as folder:
        logs = LogStore(folder, lambda: datetime(2026, 1, 30, tzinfo=UTC))
        kept = []
        for note in ('first', 'second', 'third'):
            logs.log('tea').append(Entry(kind=EntryKind.RESUMED, note=note))
            aside = logs.set_aside('tea')
            assert aside is not None
            kept.append(aside)
        assert logs.set_aside('tea') is None
        assert [note in file.read_text() for file, note in zip(kept, ('first', 'second', 'third'), strict=True)] == [
            True
        ] * 3
        assert len(set(kept)) == 3


def test_a_task_whose_log_cannot_be_set_aside_stays(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    name = memory.describe('Give me the cup.', 'started', 'finished')
    with nothing_left_to_write_on(monkeypatch, 'rename'), pytest.raises(MemoryFault, match='No space left'):
        forget_task(memory.book, memory.logs, name)
    assert memory.book.get(name) is not None
    assert len(memory.logs.log(name).entries) == 2


def test_a_task_that_cannot_be_taken_out_is_there_without_its_log(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = memory.describe('Give me the cup.', 'started', 'finished')
    with nothing_left_to_write_on(monkeypatch, 'unlink'), pytest.raises(MemoryFault, match='No space left'):
        forget_task(memory.book, memory.logs, name)
    assert memory.book.get(name) is not None
    assert list(memory.folder.tasks_path.glob(f'{name}.log.forgotten-*'))


def test_a_forgotten_task_may_be_taught_again_and_begins_a_new_log(memory: Memory) -> None:
    memory.book.teach('breakfast', 'Eggs.')
    memory.write('breakfast', 'finished')
    forget_task(memory.book, memory.logs, 'breakfast')
    memory.book.teach('breakfast', 'Toast.')
    memory.write('breakfast', 'started')
    assert [entry.kind for entry in memory.logs.log('breakfast').entries] == [EntryKind.STARTED]
