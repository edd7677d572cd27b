"""What only the shared store has: several robots that write at once, and erasing that SQL can see."""

import threading
from datetime import UTC, datetime

import psycopg
import pytest

from lucca_core.errors import MemoryFault
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.person_source import source_of_scope
from lucca_memory.people.postgres_store import PostgresStore
from lucca_memory.people.schema import TABLES
from lucca_memory.people.values import NewLine, Told
from lucca_memory.retrieval.library import Library
from lucca_memory.retrieval.values import Question

NOW = datetime(2026, 3, 2, tzinfo=UTC)
ROBOTS, TURNS = 2, 15


def _memory(store):
    embedder = HashedEmbedder()
    return PeopleMemory(store, embedder, Library(source_of_scope(store), embedder))


def test_two_robots_that_write_at_once_lose_nothing(shared_schema):
    stores = [shared_schema() for _ in range(ROBOTS)]
    memories = [_memory(store) for store in stores]
    errors = []

    def talk(number):
        try:
            person = memories[number].person('Anna')
            for turn in range(TURNS):
                told = Told(conversation=f'robot {number}', utterance=f'word{number}x{turn}', time=NOW)
                memories[number].remember(person, told)
                memories[number].recall(person, Question(text=f'word{number}x{turn}', now=NOW))
        except Exception as error:  # noqa: BLE001 - whatever it was, the test shows it
            errors.append(error)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(ROBOTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    (anna,) = memories[0].people()
    wanted = {f'word{number}x{turn}' for number in range(ROBOTS) for turn in range(TURNS)}
    assert {line.text for line in stores[0].lines(anna.person_id)} == wanted
    for memory in memories:
        for word in wanted:
            assert memory.recall(anna, Question(text=word, now=NOW))[0].text == word
    for store in stores:
        store.close()


def test_no_row_of_an_erased_person_is_left(shared_schema, postgres_address):
    with shared_schema() as store:
        memory = _memory(store)
        for name in ('Anna', 'Bo'):
            person = memory.person(name)
            memory.remember(person, Told(conversation='c', utterance=f'MARKER of {name}', answer='yes', time=NOW))
            memory.rate(person, 'good')
        store.forget(person.person_id, [store.lines(person.person_id)[0].line_id], 'MARKER', NOW)
        store.erase(memory.person('Bo').person_id)
        for table in TABLES:
            rows = store._database.read(f'SELECT t::text FROM {table} AS t')  # noqa: S608 - names of our tables
            assert not [row for row in rows if 'Bo' in row[0].split('MARKER of ')[-1]]
        assert [person.name for person in store.people()] == ['Anna']


def _in_statistics(address, marker):
    with psycopg.connect(address, autocommit=True) as connection:
        return connection.execute(
            'SELECT tablename, attname FROM pg_stats '
            'WHERE concat(most_common_vals::text, histogram_bounds::text) LIKE %s',
            (f'%{marker}%',),
        ).fetchall()


@pytest.mark.parametrize('others', [True, False])
def test_no_name_of_an_erased_person_is_left_in_the_servers_statistics(shared_schema, postgres_address, others):
    with shared_schema() as store:
        memory = _memory(store)
        for name in ('Yrsa Zedd', 'Yrsa Zedd Junior', *(['Anna', 'Bo'] if others else ())):
            memory.remember(memory.person(name), Told(conversation='c', utterance='hi', answer='yes', time=NOW))
        store._database._writer.execute('ANALYZE person; ANALYZE line')
        assert _in_statistics(postgres_address, 'Yrsa')
        for name in ('Yrsa Zedd', 'Yrsa Zedd Junior'):
            store.erase(memory.person(name).person_id)
        assert not _in_statistics(postgres_address, 'Yrsa')
        # The tables are as they were.
        memory.remember(memory.person('Cai'), Told(conversation='c', utterance='hi', answer='yes', time=NOW))
        assert len(store.people()) == (3 if others else 1)


def test_a_name_that_was_blanked_is_in_no_row_and_not_in_the_servers_statistics(shared_schema, postgres_address):
    eraser = NameEraser('Yrsa Zedd')
    with shared_schema() as store:
        memory = _memory(store)
        people = [memory.person(name) for name in ('Anna', 'Bo', 'Cai')]
        for person in people[:2]:
            for _ in range(2):
                told = Told(conversation='c', utterance='yrsa  ZEDD likes tea.', answer='Ah, Yrsa Zedd.', time=NOW)
                memory.remember(person, told)
            memory.rate(person, 'good')
            lines = store.lines(person.person_id)
            store.add_summary(person.person_id, 'Knows Yrsa Zedd.', lines[0].line_id, lines[0].line_id, NOW)
            store.forget(person.person_id, [lines[-1].line_id], 'about Yrsa Zedd', NOW)
        memory.embed_missing()
        spec = HashedEmbedder().spec
        assert store.vectors(people[0].person_id, spec)
        store._database._writer.execute('ANALYZE line; ANALYZE summary; ANALYZE forgotten; ANALYZE feedback')
        assert _in_statistics(postgres_address, 'Yrsa')
        assert set(store.mentions(eraser)) == {person.person_id for person in people[:2]}

        assert store.blank(eraser) == tuple(person.person_id for person in people[:2])

        assert dict(store.mentions(eraser)) == {}
        for table in TABLES:
            leaked = f"SELECT 1 FROM {table} AS t WHERE strpos(lower(t::text), 'zedd') > 0"  # noqa: S608
            assert not store._database.read(leaked)
        assert not _in_statistics(postgres_address, 'Yrsa')
        assert not store.vectors(people[0].person_id, spec)
        assert store.lines(people[0].person_id)[-1].text == 'somebody likes tea.'
        assert store.blank(eraser) == ()


def test_a_server_that_is_not_there_is_a_fault():
    with pytest.raises(MemoryFault, match='cannot be used'):
        PostgresStore('host=127.0.0.1 port=1 dbname=none connect_timeout=2')


def test_a_closed_connection_is_a_fault(shared_schema):
    store = shared_schema()
    store.close()
    with pytest.raises(MemoryFault, match='could not be read'):
        store.people()
    with pytest.raises(MemoryFault, match='could not be written'):
        store.append(1, [NewLine(conversation='c', speaker='A', text='t', time=NOW)])


def test_the_server_looks_whether_a_robot_is_still_there(shared_schema):
    with shared_schema() as store:
        rows = store._database.read("SELECT name, source FROM pg_settings WHERE starts_with(name, 'tcp_keepalives_')")
    # Their values are those of the socket: over a socket in the file system the server shows 0.
    assert dict(rows) == {f'tcp_keepalives_{name}': 'session' for name in ('idle', 'interval', 'count')}


def test_newer_tables_are_refused(shared_schema, postgres_address):
    with shared_schema() as store:
        store._database._writer.execute('INSERT INTO version VALUES (99)')
        with pytest.raises(MemoryFault, match='newer lucca'):
            shared_schema()


def test_the_driver_is_the_one_that_was_meant():
    assert psycopg.__version__.startswith('3')


def test_a_lost_connection_fails_one_call_and_is_made_anew(shared_schema, postgres_address):
    with shared_schema() as store:
        anna = store.create('Anna', NOW)
        with psycopg.connect(postgres_address, autocommit=True) as other:
            other.execute('SELECT pg_terminate_backend(%s)', (store._database._writer.info.backend_pid,))
        line = NewLine(conversation='c', speaker='Anna', text='Hello.', time=NOW)
        with pytest.raises(MemoryFault, match='nothing was recorded'):
            store.append(anna.person_id, [line])
        store.append(anna.person_id, [line])
        assert [item.text for item in store.lines(anna.person_id)] == ['Hello.']
