"""What only the SQLite store has: its file, its versions, and pages that are really overwritten."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from lucca_core.errors import MemoryFault
from lucca_memory.people.schema import MIGRATIONS
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.people.values import NewLine

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def _line(text):
    return NewLine(conversation='c', speaker='Anna', text=text, time=NOW)


def test_everything_is_there_after_reopening(tmp_path):
    file = tmp_path / 'people.sqlite'
    with SqliteStore(file) as store:
        anna = store.create('Anna', NOW)
        lines = store.append(anna.person_id, [_line('one')])
        uid = store.uid
    with SqliteStore(file) as store:
        assert store.uid == uid
        assert store.lines(anna.person_id) == lines
    assert file.stat().st_mode & 0o077 == 0


def test_the_text_of_an_erased_person_is_in_no_byte_of_the_files(tmp_path):
    with SqliteStore(tmp_path / 'people.sqlite') as store:
        anna, bo = store.create('Anna', NOW), store.create('Bo', NOW)
        store.append(anna.person_id, [_line(f'MARKER{number} ' * 50) for number in range(200)])
        store.append(bo.person_id, [_line('kept')])
        store.erase(anna.person_id)
        assert not [path for path in tmp_path.iterdir() if b'MARKER' in path.read_bytes()]
        assert [line.text for line in store.lines(bo.person_id)] == ['kept']


class _WhileRewriting:
    """A connection that calls a function when it begins to rewrite its file."""

    def __init__(self, connection, then):
        self._connection = connection
        self._then = then

    def execute(self, query, *values):
        if query == 'VACUUM':
            self._then()
        return self._connection.execute(query, *values)

    def __getattr__(self, name):
        return getattr(self._connection, name)


def test_memory_answers_while_the_file_is_rewritten(tmp_path):
    pool, read = ThreadPoolExecutor(1), []
    with SqliteStore(tmp_path / 'people.sqlite') as store:
        anna, bo = store.create('Anna', NOW), store.create('Bo', NOW)
        store.append(bo.person_id, [_line('kept')])
        database = store._database

        def ask():
            read.extend(pool.submit(store.lines, bo.person_id).result(timeout=20))

        database._writer = _WhileRewriting(database._writer, ask)
        store.erase(anna.person_id)
    assert [line.text for line in read] == ['kept']


def test_erasing_says_so_when_a_reader_holds_the_old_pages(tmp_path):
    file = tmp_path / 'people.sqlite'
    with SqliteStore(file) as store:
        anna = store.create('Anna', NOW)
        store.append(anna.person_id, [_line('MARKER')])
        reader = sqlite3.connect(file)
        reader.execute('BEGIN')
        reader.execute('SELECT * FROM line').fetchall()
        with pytest.raises(MemoryFault, match=r'erase again|remain'):
            store.erase(anna.person_id)
        reader.close()
        store.erase(anna.person_id)
        assert not [path for path in tmp_path.iterdir() if b'MARKER' in path.read_bytes()]


def test_a_newer_database_is_refused(tmp_path):
    file = tmp_path / 'people.sqlite'
    SqliteStore(file).close()
    connection = sqlite3.connect(file)
    connection.execute(f'PRAGMA user_version = {len(MIGRATIONS) + 1}')
    connection.close()
    with pytest.raises(MemoryFault, match='newer lucca'):
        SqliteStore(file)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    file = tmp_path / 'people.sqlite'
    file.write_bytes(b'no database' * 500)
    with pytest.raises(MemoryFault, match='cannot be used'):
        SqliteStore(file)


def test_a_failed_append_leaves_nothing(tmp_path, monkeypatch):
    with SqliteStore(tmp_path / 'people.sqlite') as store:
        anna = store.create('Anna', NOW)
        with pytest.raises((MemoryFault, AttributeError)):
            store.append(anna.person_id, [_line('one'), None])
        assert store.lines(anna.person_id) == ()
        assert store.append(anna.person_id, [_line('two')])


def test_a_store_that_is_only_read_writes_nothing(tmp_path):
    file = tmp_path / 'people.sqlite'
    with SqliteStore(file) as writer:
        writer.create('Anna', NOW)
        with SqliteStore(file, write=False) as reader:
            assert [person.name for person in reader.people()] == ['Anna']
            with pytest.raises(MemoryFault, match='could not be written'):
                reader.create('Bo', NOW)


def test_a_closed_store_says_so(tmp_path):
    store = SqliteStore(tmp_path / 'people.sqlite')
    store.close()
    store.close()
    with pytest.raises(MemoryFault, match='could not be read'):
        store.people()


def test_who_writes_to_a_store_that_was_closed_is_told_so(tmp_path):
    store = SqliteStore(tmp_path / 'people.sqlite')
    anna = store.create('Anna', NOW)
    store.close()
    with pytest.raises(MemoryFault, match='could not be written'):
        store.append(anna.person_id, [_line('late')])
