"""Whatever holds for the network in SQLite holds for the one in PostgreSQL."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from lucca_core.errors import MemoryFault
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Node
from lucca_memory.semantic.graph.export import to_json
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.store import array_file as kept_arrays
from lucca_memory.semantic.store.rows import NODES
from lucca_memory.semantic.store.sqlite_store import SqliteNetworkStore
from lucca_memory.semantic.store.values import Mark, NetworkChangedError
from lucca_memory.semantic.values import Statement

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
LATER = BEGIN + timedelta(days=3)
ANNA = 'person-1@x'
EMBEDDER = HashedEmbedder()
TEXTS = [
    'Paula lives in Bonn.',
    'The kiln is in Ulm.',
    'Paula lives in Kiel.',
    'The soup was quite nice.',
    'The kiln is in Ulm.',
    'Zoë asked: 100 % sure?',
]


def statements(texts=TEXTS, **values):
    return [
        Statement(
            text=text, speaker='Anna', time=BEGIN + timedelta(hours=number), source=f'said:{number}@{text}', **values
        )
        for number, text in enumerate(texts)
    ]


@pytest.fixture(params=['sqlite', 'postgres'])
def opened(request, tmp_path):
    """Opens the same network each time."""
    stores = []
    if request.param == 'postgres':
        address = request.getfixturevalue('postgres_address')
        from lucca_memory.semantic.store.postgres_store import PREFIX, PostgresNetworkStore

        schema = f'{PREFIX}{uuid.uuid4().hex}'

        def opened_store(**values):
            return PostgresNetworkStore(address, schema, tmp_path / 'index' / 'network.arrays', **values)
    else:

        def opened_store(**_):
            return SqliteNetworkStore(tmp_path / 'network.sqlite')

    def made(**values):
        stores.append(opened_store(**values))
        return stores[-1]

    yield made
    for store in stores:
        store.close()


def memory_in(store):
    return ConceptMemory(EMBEDDER, store=store)


def test_every_store_makes_the_same_network_of_the_same_talk(opened):
    in_process, kept = ConceptMemory(EMBEDDER), memory_in(opened())
    for memory in (in_process, kept):
        memory.hear(statements())
        memory.context('Where does Paula live?', LATER)
        memory.forget(LATER, 60)
        memory.restore([memory.forgotten()[0].node_id], LATER)
    assert kept.stats(LATER) == in_process.stats(LATER)
    assert sorted(kept.texts()) == sorted(in_process.texts())
    assert [item.text for item in kept.forgotten()] == [item.text for item in in_process.forgotten()]
    assert kept.store.told_by(['said:0@Paula lives in Bonn.']) == in_process.store.told_by(
        ['said:0@Paula lives in Bonn.']
    )
    nodes = sorted(item.node_id for item in kept.store.nodes(range(1, 30)).values())
    assert [(e.a, e.b, e.kind) for e in kept.store.edges_of(nodes)] == [
        (e.a, e.b, e.kind) for e in in_process.store.edges_of(nodes)
    ]


@pytest.mark.parametrize('least', [1, 20_000])
def test_what_was_stored_is_loaded_again(opened, monkeypatch, least):
    monkeypatch.setattr(kept_arrays, 'LEAST_NODES', least)
    memory = memory_in(opened())
    memory.hear(statements())
    memory.context('Where is the kiln?', LATER)
    before = memory.stats(LATER)
    memory.close()
    again = memory_in(opened())
    assert again.stats(LATER) == before
    assert again.network.column('has_vector').any()
    assert again.context('Where does Paula live?', LATER).items[0].text == 'Paula lives in Kiel.'


def test_statements_are_heard_once_and_marks_are_kept(opened):
    memory = memory_in(opened())
    memory.hear(statements())
    memory.hear(statements())
    memory.store.set_mark('lines', Mark(3, 1))
    memory.store.set_mark('lines', Mark(4, 1))
    assert memory.store.marks() == {'lines': Mark(4, 1)}
    assert memory.store.totals().heard == len(TEXTS)


def test_what_was_put_away_is_let_go_of_for_good_in_time(opened):
    memory = memory_in(opened())
    memory.hear(statements())
    memory.forget(LATER, 0)
    assert memory.forgotten()
    memory.forget(LATER + timedelta(days=31), 0)
    assert not memory.forgotten()
    assert not memory.store.nodes([1])


def test_erasing_takes_an_owner_and_a_name_out(opened):
    memory = memory_in(opened())
    memory.hear(statements(['The safe opens with 4711.', 'The vault opens with 99.'], owner=ANNA))
    memory.hear(statements(['Quirina has the ladder.', 'The sky is grey.']))
    memory.forget_nodes([memory.context('What opens the safe?', LATER, owner=ANNA).items[0].node_id], LATER)
    assert memory.forgotten()
    memory.store.set_mark('task:Quirina sorts', Mark(1))
    assert memory.store.erase(ANNA, NameEraser('Quirina')) > 0
    memory.close()
    again = memory_in(opened())
    assert sorted(again.texts()) == ['The sky is grey.', 'somebody has the ladder.']
    assert '4711' not in to_json(again, LATER)
    assert not again.forgotten()
    assert not any('Quirina' in name for name in again.store.marks())
    assert not again.store.already_heard(['said:0@Quirina has the ladder.'])


def test_what_others_said_of_somebody_stays_theirs_unless_it_is_to_be_blanked(opened):
    memory = memory_in(opened())
    memory.hear(statements(['Will has the ladder and I will come.'], owner='person-2@x'))
    memory.store.erase(ANNA, NameEraser('Will'))
    assert memory.texts() == ['Will has the ladder and I will come.']
    memory.store.erase(ANNA, NameEraser('Will'), blank=True)
    assert memory.texts() == ['somebody has the ladder and I somebody come.']


def test_a_step_on_rows_that_another_changed_is_not_stored_and_can_be_taken_again(opened):
    memory = memory_in(opened())
    memory.hear(statements(['The safe opens with 4711.'], owner=ANNA))
    memory.hear(statements(['The sky is grey.']))
    opened(alone=False).erase(ANNA)
    with pytest.raises(NetworkChangedError):
        memory.hear(statements(['The soup is hot.']))
    memory.hear(statements(['The soup is hot.']))
    # What was erased is not kept in mind by the embedder either.
    assert not any('4711' in text for text in memory._understanding._embedder._known)
    assert sorted(memory.texts()) == ['The sky is grey.', 'The soup is hot.']
    memory.close()
    assert sorted(memory_in(opened()).texts()) == ['The sky is grey.', 'The soup is hot.']


def test_arrays_of_before_do_not_pass_for_rows_that_could_not_be_read(opened, monkeypatch):
    memory = memory_in(opened())
    memory.hear(statements(['The safe opens with 4711.'], owner=ANNA))
    memory.hear(statements(['The sky is grey.']))
    opened(alone=False).erase(ANNA)

    def broken(*_):
        raise MemoryFault('the link broke')

    with monkeypatch.context() as patch:
        patch.setattr('lucca_memory.semantic.store.network_store.network_of', broken)
        with pytest.raises(MemoryFault, match='the link broke'):
            memory.hear(statements(['The soup is hot.']))
    with pytest.raises(NetworkChangedError):
        memory.hear(statements(['The soup is hot.']))
    memory.hear(statements(['The soup is hot.']))
    assert sorted(memory.texts()) == ['The sky is grey.', 'The soup is hot.']


def test_after_a_restoring_whose_rows_could_not_be_read_nothing_is_planned_on_the_arrays_of_before(opened, monkeypatch):
    memory = memory_in(opened())
    memory.hear(statements(['The sky is grey.', 'The soup is hot.']))
    (sky,) = [node.node_id for node in memory.store.nodes(range(1, 20)).values() if node.text == 'The sky is grey.']
    memory.forget_nodes([sky], LATER)

    def broken(*_):
        raise MemoryFault('the link broke')

    with monkeypatch.context() as patch:
        patch.setattr('lucca_memory.semantic.store.network_store.network_of', broken)
        with pytest.raises(MemoryFault, match='the link broke'):
            memory.restore([sky], LATER)
    with pytest.raises(NetworkChangedError):
        memory.hear(statements(['The tea is cold.']))
    memory.hear(statements(['The tea is cold.']))
    assert sorted(memory.texts()) == ['The sky is grey.', 'The soup is hot.', 'The tea is cold.']


@pytest.mark.parametrize('text', ['\0', '\ud800', 'x' * 20_000, "'; DROP TABLE node; --", '%s ? %', '🙂🙂'])
def test_any_text_can_be_kept(opened, text):
    memory = memory_in(opened())
    memory.hear([Statement(text=text, speaker=text[:50], time=BEGIN, source='said:1')])
    memory.context(text, BEGIN)
    memory.forget(BEGIN, 0)
    memory.close()
    assert memory_in(opened()).stats().bytes == 0


@pytest.mark.parametrize('opened', ['postgres'], indirect=True)
def test_a_second_worker_is_kept_out_of_a_network_on_a_server(opened):
    from lucca_memory.store.postgres import LOCK_FREED_S

    first = opened()
    with pytest.raises(MemoryFault, match=f'in use by another worker.*wait {LOCK_FREED_S} s'):
        opened()
    first.close()
    opened()


@pytest.mark.parametrize('opened', ['postgres'], indirect=True)
def test_a_link_that_broke_is_made_anew(opened, postgres_address):
    import psycopg

    memory = memory_in(opened())
    memory.hear(statements(['The sky is grey.']))
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
            'WHERE pid != pg_backend_pid() AND backend_type = %s AND datname = current_database()',
            ('client backend',),
        )
    # The link that reads, then the one that writes.
    for match in ('read', 'written'):
        with pytest.raises(MemoryFault, match=match):
            memory.hear(statements(['The soup is hot.']))
    memory.hear(statements(['The soup is hot.']))
    assert sorted(memory.texts()) == ['The sky is grey.', 'The soup is hot.']


@pytest.mark.parametrize('opened', ['postgres'], indirect=True)
@pytest.mark.parametrize('others', [True, pytest.param(False, marks=pytest.mark.slow)])
def test_nothing_that_was_erased_is_left_in_the_servers_statistics(opened, postgres_address, others):
    import psycopg

    def in_statistics():
        with psycopg.connect(postgres_address, autocommit=True) as connection:
            return connection.execute(
                'SELECT tablename, attname FROM pg_stats '
                "WHERE concat(most_common_vals::text, histogram_bounds::text) LIKE '%zygomorphic%'"
            ).fetchall()

    memory = memory_in(opened())
    for number, text in enumerate(['The zygomorphic safe is open.', 'My cat is zygomorphic.', 'Zoë is zygomorphic.']):
        memory.hear([Statement(text=text, speaker='Anna', time=BEGIN, source=f'said:{number}@x', owner=ANNA)])
    if others:
        memory.hear(statements(['The sky is grey.']))
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute('ANALYZE')
    assert in_statistics()
    memory.store.erase(ANNA)
    assert not in_statistics()
    memory.close()
    memory = memory_in(opened())
    memory.hear(statements(['The soup is hot.']))
    assert 'The soup is hot.' in memory.texts()


@pytest.mark.parametrize('opened', ['postgres'], indirect=True)
def test_concepts_are_let_go_of_in_one_pass_over_many_edges(opened):
    from lucca_memory.semantic.store.network_store import DELETE_UNMENTIONED

    store = opened()
    with store._database.transaction() as connection:
        # More edges than are hashed in this much memory; a `NOT IN` would then go through them for each concept.
        connection.execute("SET LOCAL work_mem = '64kB'")
        connection.execute('INSERT INTO edge SELECT g, 0, g + 1, 1 FROM generate_series(1, 20000) g')
        connection.execute('ANALYZE edge')
        plan = '\n'.join(row[0] for row in connection.execute(f'EXPLAIN {DELETE_UNMENTIONED}').fetchall())
    assert 'edge' in plan
    # Whatever is not a hashed one is carried out for each row.
    assert 'SubPlan' not in plan.replace('hashed SubPlan', '')


def test_concepts_are_let_go_of_when_nothing_mentions_them(opened):
    store = opened()
    with store._database.transaction() as connection:
        for node_id, kind, away in ((1, CONCEPT, 1), (2, CONCEPT, 1), (3, CONCEPT, 0), (4, STATEMENT, 1)):
            connection.execute(
                f'INSERT INTO node ({NODES.names}, away) VALUES ({NODES.marks}, ?)',  # noqa: S608
                (*NODES.values(Node(node_id=node_id, kind=kind, text='x', born=0, last=0)), away),
            )
        connection.execute('INSERT INTO edge (a, kind, b, weight) VALUES (4, 0, 2, 1)')
    store.erase(ANNA)
    assert sorted(store.nodes([1, 2, 3, 4])) == [2, 3, 4]


def test_a_folder_whose_network_is_on_a_server_has_none_in_a_file(tmp_path, postgres_address):
    from lucca_memory.data_folder import DataFolder
    from lucca_memory.semantic.opening import NETWORK_FILE, open_semantic

    with DataFolder.open(tmp_path, write=True) as folder:
        with open_semantic(folder, EMBEDDER) as memory:
            memory.hear(statements(['The safe opens with 4711.']))
        for suffix in ('-wal', '-shm'):
            (tmp_path / f'{NETWORK_FILE}{suffix}').write_bytes(b'4711')
        with pytest.raises(MemoryFault), open_semantic(folder, EMBEDDER, address='host=127.0.0.1 port=1'):
            pass
        assert (tmp_path / NETWORK_FILE).exists()
        with open_semantic(folder, EMBEDDER, address=postgres_address) as memory:
            assert not memory.texts()
    assert not list(tmp_path.glob(f'{NETWORK_FILE}*'))
    assert not [file for file in tmp_path.rglob('*') if file.is_file() and b'4711' in file.read_bytes()]


def test_erasing_reaches_the_networks_of_all_robots_on_a_server(tmp_path, postgres_address):
    from lucca_memory.data_folder import DataFolder
    from lucca_memory.item_ids import owner_of
    from lucca_memory.people.erasure import erase_person
    from lucca_memory.people.postgres_store import PostgresStore
    from lucca_memory.semantic.opening import open_semantic

    with (
        PostgresStore(postgres_address, schema=f'test_{uuid.uuid4().hex}') as people,
        DataFolder.open(tmp_path / 'one', write=True) as one,
        DataFolder.open(tmp_path / 'two', write=True) as two,
    ):
        owner = owner_of(people.uid, people.create('Quirina', BEGIN).person_id)
        for folder in (one, two):
            with open_semantic(folder, EMBEDDER, address=people.address) as memory:
                assert not memory.texts()
                memory.hear(statements(['The safe opens with 4711.'], owner=owner))
                memory.hear(statements(['The sky is grey.', 'Quirina has the ladder.']))
        with open_semantic(two, EMBEDDER, address=people.address) as memory:
            erase_person(one, people, 'Quirina')
            # The other robot is at work meanwhile, with arrays of before.
            assert not any(
                '4711' in item.text for item in memory.context('What opens the safe?', LATER, owner=owner).items
            )
            with pytest.raises(NetworkChangedError):
                memory.hear(statements(['The soup is hot.']))
            memory.hear(statements(['The soup is hot.']))
        for folder, more in ((one, []), (two, ['The soup is hot.'])):
            with open_semantic(folder, EMBEDDER, address=people.address) as memory:
                assert sorted(memory.texts()) == sorted(['The sky is grey.', 'somebody has the ladder.', *more])
