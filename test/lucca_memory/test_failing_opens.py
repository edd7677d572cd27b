"""Whatever lies in the place of a file of a data folder, opening it ends at once, in words, and leaves nothing open."""

import contextlib
import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from odd_files import ODD, make_odd
from task_logs import NOW

from lucca_core.errors import ConfigError, LuccaError, MemoryFault
from lucca_memory.backup import ERASED, back_up, backups_locked, registered_backups, restore
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.log import TaskLog
from lucca_memory.facts.passage_vectors import PassageVectors
from lucca_memory.people.opening import PEOPLE_FILE, open_store
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.retrieval.columns import map_arrays
from lucca_memory.semantic.store.sqlite_store import NETWORK_FILE, SqliteNetworkStore
from lucca_memory.task_book import TaskBook
from lucca_memory.taught_tasks import TAUGHT_FILE

OPENS = 20


def _close(opened: object) -> None:
    opened.close()  # type: ignore[attr-defined]


def _read_people(folder: Path) -> None:
    with DataFolder.open(folder, write=False) as opened:
        open_store(opened).close()


def _write_people(folder: Path) -> None:
    with DataFolder.open(folder, write=True) as opened:
        open_store(opened).close()


def _log(folder: Path) -> None:
    with DataFolder.open(folder, write=True) as opened:
        TaskLog(opened, 'sorting')


def _book(folder: Path) -> None:
    with DataFolder.open(folder, write=True) as opened:
        TaskBook({}, {}, opened)


def _backups(folder: Path) -> None:
    with backups_locked(folder):
        registered_backups(folder)


PLACES: dict[str, tuple[str, Callable[[Path], object]]] = {
    'format': ('format', lambda folder: DataFolder.open(folder, write=False)),
    'lock': ('lock', lambda folder: DataFolder.open(folder, write=True)),
    'log': ('tasks/sorting.log', _log),
    'head': ('tasks/sorting.head', _log),
    'taught tasks': (TAUGHT_FILE, _book),
    'people': (PEOPLE_FILE, lambda folder: _close(SqliteStore(folder / PEOPLE_FILE))),
    'people, to read': (PEOPLE_FILE, lambda folder: _close(SqliteStore(folder / PEOPLE_FILE, write=False))),
    'people of the folder': (PEOPLE_FILE, _write_people),
    'people of the folder, to read': (PEOPLE_FILE, _read_people),
    'network': (NETWORK_FILE, lambda folder: _close(SqliteNetworkStore(folder / NETWORK_FILE))),
    'network, to read': (NETWORK_FILE, lambda folder: _close(SqliteNetworkStore(folder / NETWORK_FILE, write=False))),
    'arrays': ('index/network.arrays', lambda folder: map_arrays(folder / 'index' / 'network.arrays')),
    'lock of the backups': ('backups/lock', _backups),
    'list of backups': ('backups/one.path', _backups),
    'who was erased': (ERASED, lambda folder: restore(folder.with_name('b.tar.gz'), folder, replace=True)),
    'a backup': ('b.tar.gz', lambda folder: restore(folder / 'b.tar.gz', folder.with_name('copy'))),
    'what is backed up': (PEOPLE_FILE, lambda folder: back_up(folder, folder.with_name('never.tar.gz'), NOW)),
}
"""Of each place: where it is in a data folder, and what opens it."""

MAY_HOLD_ANYTHING = ('lock', 'head', 'lock of the backups', 'what is backed up', 'list of backups')
CASES = [
    (name, kind) for name in PLACES for kind in (*ODD, 'garbage') if kind != 'garbage' or name not in MAY_HOLD_ANYTHING
]


@pytest.fixture(scope='module', autouse=True)
def few_objects() -> None:
    """Each test here looks for garbage twice; what is there before need not be looked through each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / 'data'
    DataFolder.open(folder, write=True).close()
    back_up(folder, tmp_path / 'b.tar.gz', NOW)
    for name in ('index', 'backups'):
        (folder / name).mkdir(exist_ok=True)
    return folder


@pytest.mark.timeout(60)
@pytest.mark.parametrize(('name', 'kind'), CASES)
def test_opening_fails_at_once_and_leaves_nothing_open(data_dir: Path, name: str, kind: str) -> None:
    place, opening = PLACES[name]
    path = data_dir / place
    path.unlink(missing_ok=True)
    path.write_bytes(b'\xff no such thing \x00' * 400) if kind == 'garbage' else make_odd(kind, path)
    opens = 3 if name in ('who was erased', 'what is backed up', 'a backup') else OPENS
    gc.collect()
    before = len(os.listdir('/proc/self/fd'))
    for _ in range(opens):
        with pytest.raises((LuccaError, OSError, ValueError)) as told:
            opening(data_dir)
        assert isinstance(told.value, MemoryFault | ConfigError) or name == 'arrays'
        assert Path(place).name in str(told.value) or data_dir.name in str(told.value)
        del told
    gc.collect()
    assert len(os.listdir('/proc/self/fd')) == before
    assert not DataFolder.is_in_use(data_dir)


@pytest.mark.timeout(60)
@pytest.mark.parametrize('kind', ODD)
def test_vectors_that_are_derived_are_done_without(data_dir: Path, kind: str) -> None:
    make_odd(kind, data_dir / 'facts.sqlite')
    before = len(os.listdir('/proc/self/fd'))
    for _ in range(OPENS):
        with contextlib.suppress(MemoryFault):
            PassageVectors(data_dir / 'facts.sqlite', 'spec').put({})
    gc.collect()
    assert len(os.listdir('/proc/self/fd')) == before
