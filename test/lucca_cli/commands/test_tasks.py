"""`lucca tasks forget` on a data folder; on a running stack the worker does the same."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip('rclpy')

from lucca_cli.main import app
from lucca_core.protocol.entries import EntryKind
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.task_book import TaskBook


def forget(folder: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ['tasks', 'forget', '--data-dir', str(folder), *arguments])
    return done.exit_code, ' '.join(done.output.split())


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    with DataFolder.open(tmp_path / 'data', write=True) as folder:
        book, logs = TaskBook(load_tasks(), load_actions(), folder), LogStore(folder)
        book.teach('', 'Give me the cup.')
        book.teach('breakfast', 'Eggs.')
        logs.log('request-1').append(Entry(kind=EntryKind.STARTED))
        logs.log('request-1').append(Entry(kind=EntryKind.SUSPENDED))
    return tmp_path / 'data'


def names(data_dir: Path) -> list[str]:
    with DataFolder.open(data_dir, write=False) as folder:
        return [name for name in TaskBook(load_tasks(), load_actions(), folder).tasks if name not in load_tasks()]


def test_a_taught_task_is_forgotten_and_a_suspended_one_by_force(data_dir: Path) -> None:
    assert forget(data_dir, 'breakfast') == (0, 'breakfast is forgotten')
    code, said = forget(data_dir, 'request-1')
    assert (code, 'request-1 is suspended' in said, '--force' in said) == (3, True, True)
    assert names(data_dir) == ['request-1']
    code, said = forget(data_dir, 'request-1', '--force')
    assert (code, 'its log is now tasks/request-1.log.forgotten-' in said) == (0, True)
    assert names(data_dir) == []


@pytest.mark.parametrize(('name', 'reason'), [('sorting', 'config/tasks.yaml'), ('ironing', 'no task is named')])
def test_what_cannot_be_forgotten_is_said(data_dir: Path, name: str, reason: str) -> None:
    code, said = forget(data_dir, name)
    assert (code, reason in said) == (3, True)


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    code, said = forget(tmp_path / 'no', 'breakfast')
    assert (code, 'there is no data folder' in said) == (1, True)
    assert not (tmp_path / 'no').exists()


def test_a_folder_in_use_is_left_alone(data_dir: Path) -> None:
    with DataFolder.open(data_dir, write=True):
        code, said = forget(data_dir, 'breakfast')
    assert (code, 'in use by another worker' in said) == (1, True)
    assert names(data_dir) == ['request-1', 'breakfast'][::-1]
