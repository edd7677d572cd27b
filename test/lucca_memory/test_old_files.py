"""Databases that an earlier lucca wrote open, with all that was in them, and go on being written."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.people.sqlite_store import SqliteStore
from lucca_memory.people.values import NewLine
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.store.sqlite_store import SqliteNetworkStore

FILES = Path(__file__).with_name('old_files')
NOW = datetime(2026, 1, 6, 9, tzinfo=UTC)


@pytest.fixture
def restored(tmp_path):
    """Restores a database from its dump."""

    def restore(name):
        file = tmp_path / f'{name}.sqlite'
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript((FILES / f'{name}.sql').read_text(encoding='utf-8'))
        return file

    return restore


def test_people_of_before_are_known_and_heard_further(restored):
    file = restored('people')
    with SqliteStore(file) as store:
        anna = store.find('ANNA')
        assert [line.text for line in store.lines(anna.person_id) if line.speaker == 'Anna'] == [
            'My gym is called Ironworks.',
            'My gym is called Steelhouse.',
        ]
        assert [item.line.text for item in store.forgotten(anna.person_id)] == ['The kiln is in Ulm.']
        assert [item.text for item in store.summaries(anna.person_id)] == ['Anna has a gym.']
        assert [item.verdict for item in store.feedback(anna.person_id)] == ['good']
        spec = HashedEmbedder(8).spec
        assert set(store.vectors(anna.person_id, spec)) == {line.line_id for line in store.lines(anna.person_id)}
        known = store.lines(anna.person_id)
        [added] = store.append(
            anna.person_id, [NewLine(conversation='d', speaker='Anna', text='Good morning.', time=NOW)]
        )
        assert added.line_id > known[-1].line_id
        assert store.restore(anna.person_id, [store.forgotten(anna.person_id)[0].line.line_id]) == 1
    with SqliteStore(file, write=False) as store:
        assert len(store.lines(anna.person_id)) == len(known) + 2


def test_the_network_of_before_answers_and_forgets(restored):
    file = restored('network')
    memory = ConceptMemory(HashedEmbedder(8), store=SqliteNetworkStore(file))
    owner = next(name for name in memory.network.owners if name)
    context = memory.context('What is my gym called?', NOW, owner=owner)
    assert next(item.text for item in context.valid) == 'My gym is called Steelhouse.'
    assert [item.text for item in context.history] == ['My gym is called Ironworks.']
    memory.forget(NOW, 0)
    assert not memory.texts()
    assert memory.restore([item.node_id for item in memory.forgotten()], NOW + timedelta(days=1)) == 3
    memory.close()
    memory = ConceptMemory(HashedEmbedder(8), store=SqliteNetworkStore(file))
    assert len(memory.texts()) == 3
    memory.close()
