"""The network on the disk is the network in memory."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from lucca_core.errors import MemoryFault
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.item_ids import owner_of
from lucca_memory.people.erasure import erase_person
from lucca_memory.people.opening import open_store as open_people_store
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.opening import NETWORK_FILE, open_semantic
from lucca_memory.semantic.values import Statement

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TEXTS = [
    'Paula lives in Bonn.',
    'The kiln is in Ulm.',
    'Paula lives in Kiel.',
    'The soup was quite nice.',
    'The kiln is in Ulm.',
    'Zoë asked: 100 % sure?',
]


def tell(memory, texts=TEXTS, **values):
    for number, text in enumerate(texts):
        when = BEGIN + timedelta(hours=number)
        memory.hear([Statement(text=text, speaker='Anna', time=when, source=f'{values}{number}', **values)])


def test_both_stores_make_the_same_network_of_the_same_talk(folder):
    now = BEGIN + timedelta(days=3)
    in_process = ConceptMemory(HashedEmbedder())
    with open_semantic(folder, HashedEmbedder()) as on_disk:
        for memory in (in_process, on_disk):
            tell(memory)
            memory.context('Where does Paula live?', now)
            memory.forget(now, 60)
        assert on_disk.stats(now) == in_process.stats(now)
        assert sorted(on_disk.texts()) == sorted(in_process.texts())
        assert [item.node_id for item in on_disk.forgotten()] == [item.node_id for item in in_process.forgotten()]


def test_when_a_statement_was_last_said_is_known_after_a_restart(folder):
    baker, florist = 'My uncle Jonas is a baker.', 'My uncle Jonas works as a florist.'
    question, now = 'What does my uncle Jonas do for work?', BEGIN + timedelta(days=3)
    with open_semantic(folder, HashedEmbedder()) as memory:
        tell(memory, [baker, florist])
        assert [item.text for item in memory.context(question, now).doubtful] == [baker]
        memory.hear([Statement(text=baker, speaker='Anna', time=BEGIN + timedelta(days=1), source='again')])
    with open_semantic(folder, HashedEmbedder()) as memory:
        assert [item.text for item in memory.context(question, now).doubtful] == [florist]


def test_what_was_stored_is_loaded_again_uses_and_vectors_as_well(folder):
    now = BEGIN + timedelta(days=3)
    with open_semantic(folder, HashedEmbedder()) as memory:
        tell(memory)
        memory.context('Where does Paula live?', now)
        before, context = memory.stats(now), memory.context('Where is the kiln?', now)
        after_use = memory.stats(now)
        assert after_use != before
    with open_semantic(folder, HashedEmbedder()) as memory:
        assert memory.stats(now) == after_use
        assert memory.network.column('has_vector').any()
        assert [item.text for item in memory.context('Where is the kiln?', now).items] == [
            item.text for item in context.items
        ]


def test_vectors_of_another_embedder_are_not_compared(folder):
    with open_semantic(folder, HashedEmbedder()) as memory:
        tell(memory)
    with open_semantic(folder, HashedEmbedder(spec='another')) as memory:
        assert not memory.network.column('has_vector').any()
        assert memory.context('Where is the kiln?', BEGIN).items[0].text == 'The kiln is in Ulm.'
    with open_semantic(folder, HashedEmbedder()) as memory:
        assert memory.network.column('has_vector').any()


def test_a_folder_that_is_only_read_is_not_written(folder):
    with open_semantic(folder, NoEmbedder()) as memory:
        tell(memory)
    with DataFolder.open(folder.path, write=False) as read, open_semantic(read, NoEmbedder()) as memory:
        assert memory.context('Where is the kiln?', BEGIN).items
        with pytest.raises(MemoryFault, match='read-only'):
            memory.hear([Statement(text='x', speaker='', time=BEGIN, source='new')])


def test_a_file_that_is_no_network_is_refused_by_name(folder):
    (folder.path / NETWORK_FILE).write_bytes(b'no database at all, but long enough to look like one' * 20)
    with pytest.raises(MemoryFault, match=NETWORK_FILE), open_semantic(folder, NoEmbedder()):
        pass


def test_a_network_of_a_newer_lucca_is_refused(folder):
    with open_semantic(folder, NoEmbedder()):
        pass
    with closing(sqlite3.connect(folder.path / NETWORK_FILE)) as connection:
        connection.execute('PRAGMA user_version = 99')
    with pytest.raises(MemoryFault, match='newer lucca'), open_semantic(folder, NoEmbedder()):
        pass


def test_erasing_a_person_reaches_their_nodes_and_their_name_in_the_network(folder):
    with open_people_store(folder) as people:
        person = people.create('Quirina', BEGIN)
        with open_semantic(folder, HashedEmbedder()) as memory:
            tell(memory, ['The safe opens with 4711.'], owner=owner_of(people.uid, person.person_id))
            tell(memory, ['Quirina has the ladder.', 'The sky is grey.'])
            memory.forget(BEGIN + timedelta(days=1), 30)
        erase_person(folder, people, 'Quirina')
    data = b''.join(item.read_bytes() for item in folder.path.glob(f'{NETWORK_FILE}*'))
    assert b'4711' not in data
    assert b'Quirina' not in data
    assert b'quirina' not in data
    with open_semantic(folder, HashedEmbedder()) as memory:
        assert memory.stats().statements + len(memory.forgotten()) == 2


@pytest.mark.parametrize('text', ['', ' ', '\0', '\ud800', 'x' * 100_000, "'; DROP TABLE node; --", '…', '🙂🙂'])
def test_any_text_can_be_heard_and_asked_for(folder, text):
    with open_semantic(folder, HashedEmbedder()) as memory:
        memory.hear([Statement(text=text, speaker=text[:50], time=BEGIN, source='said:1')])
        memory.context(text, BEGIN)
        memory.forget(BEGIN, 0)
    with open_semantic(folder, HashedEmbedder()) as memory:
        assert memory.stats().bytes == 0
