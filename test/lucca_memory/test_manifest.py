"""Memories that should be there and are not, are damaged, or are somebody else's."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from lucca_core.errors import MemoryFault
from lucca_memory.data_folder import DataFolder
from lucca_memory.manifest import MANIFEST_FILE, begin_anew, damaged_memories, files_set_aside
from lucca_memory.people.opening import PEOPLE_FILE
from lucca_memory.people.opening import open_store as open_people_store
from lucca_memory.people.values import NewLine
from lucca_memory.semantic.opening import NETWORK_FILE
from lucca_memory.semantic.opening import open_store as open_network_store

NOW = datetime(2026, 11, 23, tzinfo=UTC)
BOTH = [(PEOPLE_FILE, open_people_store), (NETWORK_FILE, open_network_store)]


@pytest.fixture
def path(tmp_path):
    """A data folder in which somebody is known."""
    make(tmp_path / 'data')
    return tmp_path / 'data'


def make(path):
    with DataFolder.open(path, write=True) as folder:
        with open_people_store(folder) as store:
            anna = store.create('Anna', NOW)
            store.append(anna.person_id, [NewLine(conversation='c', speaker='Anna', text='I like pears.', time=NOW)])
        open_network_store(folder).close()


def reopen(path, open_store, *, write=True):
    with DataFolder.open(path, write=write) as folder:
        open_store(folder).close()


def clear(path, name):
    for file in path.glob(f'{name}*'):
        file.unlink()


@pytest.mark.parametrize(('name', 'open_store'), BOTH)
@pytest.mark.parametrize('write', [True, False])
def test_a_memory_that_is_gone_is_no_new_one(path, name, open_store, write):
    clear(path, name)
    with pytest.raises(MemoryFault, match=rf'{name} held memory and is not there any more; .*doctor --new-memory'):
        reopen(path, open_store, write=write)
    assert not (path / name).exists()


@pytest.mark.parametrize(('name', 'open_store'), BOTH)
def test_a_memory_that_was_emptied_is_no_new_one(path, name, open_store):
    clear(path, name)
    (path / name).touch()
    with pytest.raises(MemoryFault, match=rf'{name} held memory and is empty'):
        reopen(path, open_store)
    clear(path, name)
    sqlite3.connect(path / name).close()
    with closing(sqlite3.connect(path / name)) as connection:
        connection.execute('VACUUM')
    with pytest.raises(MemoryFault, match=rf'{name} held memory and is empty'):
        reopen(path, open_store)


def test_a_folder_from_before_there_was_a_list_gets_one(path):
    (path / MANIFEST_FILE).unlink()
    reopen(path, open_people_store)
    clear(path, PEOPLE_FILE)
    with pytest.raises(MemoryFault, match='is not there any more'):
        reopen(path, open_people_store)


def test_the_memory_of_another_folder_is_refused(path, tmp_path):
    make(tmp_path / 'other')
    shutil.copy(tmp_path / 'other' / PEOPLE_FILE, path / PEOPLE_FILE)
    with pytest.raises(MemoryFault, match=r'people\.sqlite is the memory of another data folder'):
        reopen(path, open_people_store)


def test_another_database_is_refused_and_left_as_it_is(path):
    clear(path, PEOPLE_FILE)
    with closing(sqlite3.connect(path / PEOPLE_FILE)) as connection:
        connection.execute('CREATE TABLE photo (x)')
    before = (path / PEOPLE_FILE).read_bytes()
    with pytest.raises(MemoryFault, match='is another database, with the tables photo'):
        reopen(path, open_people_store)
    assert (path / PEOPLE_FILE).read_bytes() == before


def test_the_log_of_another_database_is_refused_and_not_written_into_the_memory(path, tmp_path):
    before = (path / PEOPLE_FILE).read_bytes()
    with closing(sqlite3.connect(tmp_path / 'other.sqlite')) as other:
        other.execute('PRAGMA journal_mode = WAL')
        other.execute('CREATE TABLE strange (x)')
        other.commit()
        shutil.copy(tmp_path / 'other.sqlite-wal', path / f'{PEOPLE_FILE}-wal')
    with pytest.raises(MemoryFault, match=r'people\.sqlite'):
        reopen(path, open_people_store)
    assert (path / PEOPLE_FILE).read_bytes() == before


@pytest.mark.parametrize('version', [-1, 99])
def test_another_version_is_refused(path, version):
    with closing(sqlite3.connect(path / PEOPLE_FILE)) as connection:
        connection.execute(f'PRAGMA user_version = {version}')
    with pytest.raises(MemoryFault, match=rf'version {version}'):
        reopen(path, open_people_store)


def test_a_value_of_another_type_is_damage(path):
    with closing(sqlite3.connect(path / PEOPLE_FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE line SET time = 'noon'")
    with pytest.raises(MemoryFault, match=r'people\.sqlite is damaged: line holds values of another type'):
        reopen(path, open_people_store)


def test_a_row_that_was_never_written_is_told_by_its_reader(path):
    with closing(sqlite3.connect(path / PEOPLE_FILE, isolation_level=None)) as connection:
        connection.execute("UPDATE line SET recalled = '{', time = 9000000000000000000")
    with (
        DataFolder.open(path, write=False) as folder,
        open_people_store(folder) as store,
        pytest.raises(MemoryFault, match='a row of memory is damaged'),
    ):
        store.lines(1)


@pytest.mark.parametrize('exchange', [False, True])
def test_a_memory_removed_or_replaced_while_it_is_in_use_takes_nothing_more(path, exchange):
    with DataFolder.open(path, write=True) as folder, open_people_store(folder) as store:
        (path / PEOPLE_FILE).rename(path / 'moved')
        if exchange:
            shutil.copy(path / 'moved', path / PEOPLE_FILE)
        with pytest.raises(MemoryFault, match='nothing was recorded'):
            store.create('Ben', NOW)


def test_beginning_anew_sets_a_damaged_memory_aside_and_leaves_a_whole_one(path):
    data = bytearray((path / PEOPLE_FILE).read_bytes())
    data[4096:8192] = b'\xff' * 4096
    (path / PEOPLE_FILE).write_bytes(bytes(data))
    network = (path / NETWORK_FILE).read_bytes()
    assert [text for text in damaged_memories(path) if PEOPLE_FILE in text]
    with DataFolder.open(path, write=True) as folder:
        [told] = begin_anew(folder, NOW)
        assert begin_anew(folder, NOW) == ()
    assert 'people.sqlite was set aside as people.sqlite.set-aside-2026' in told
    assert files_set_aside(path)[0].read_bytes() == bytes(data)
    assert (path / NETWORK_FILE).read_bytes() == network
    with DataFolder.open(path, write=True) as folder, open_people_store(folder) as store:
        assert store.people() == ()


@pytest.mark.parametrize('text', ['{', '[]', '{"people.sqlite": 3}', '[' * 100_000])
def test_a_damaged_list_is_told(path, text):
    (path / MANIFEST_FILE).write_text(text)
    with pytest.raises(MemoryFault, match=r'memories\.json'):
        reopen(path, open_people_store)


@pytest.mark.parametrize(('name', '_'), BOTH)
def test_a_memory_of_a_newer_version_is_not_given_up(path, name, _):
    with closing(sqlite3.connect(path / name)) as connection:
        connection.execute('PRAGMA user_version = 99')
    other = next(file for file, _ in BOTH if file != name)
    clear(path, other)
    with DataFolder.open(path, write=True) as folder, pytest.raises(MemoryFault, match=r'newer lucca.*update lucca'):
        begin_anew(folder, NOW)
    assert files_set_aside(path) == ()
    assert other in (path / MANIFEST_FILE).read_text()


def test_a_list_that_cannot_be_read_is_written_anew_and_told(path):
    (path / MANIFEST_FILE).write_text('{')
    with DataFolder.open(path, write=True) as folder:
        assert begin_anew(folder, NOW) == ('memories.json could not be read and was written anew',)
        assert begin_anew(folder, NOW) == ()
    for _, open_store in BOTH:
        reopen(path, open_store)
    assert files_set_aside(path) == ()
