"""Arrays that are kept beside the rows are what the rows say, or are not used."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import INDEX_FOLDER
from lucca_memory.retrieval.columns import map_arrays, write_arrays
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.graph.network import COLUMNS
from lucca_memory.semantic.opening import open_semantic, open_store
from lucca_memory.semantic.store import array_file as kept_arrays
from lucca_memory.semantic.store.network_store import ARRAYS_FILE
from lucca_memory.semantic.store.sqlite_store import NETWORK_FILE
from lucca_memory.semantic.values import Statement

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
EMBEDDER = HashedEmbedder(64)
WORDS = ['kiln', 'harbour gala', 'cellar fair', 'soup', 'brass kettle', 'choir', 'ladder', 'yearly fee']


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch):
    monkeypatch.setattr(kept_arrays, 'LEAST_NODES', 1)


def tell(memory, count=40, start=0):
    for number in range(start, start + count):
        text = f'The {WORDS[number % 8]} needs the {WORDS[number * 5 % 7]} of Ada Brink {number}.'
        memory.hear(
            [Statement(text=text, speaker='Zoë', time=BEGIN + timedelta(hours=number), source=f'said:{number}')]
        )


def arrays_file(folder):
    return folder.path / INDEX_FOLDER / ARRAYS_FILE


def described(network):
    """Everything of a network by ids, whatever order its rows and edges have."""
    ids = network.column('ids')
    alive = np.flatnonzero(network.column('alive'))
    names = {'owners': network.owners, 'speakers': network.speakers}
    nodes = {
        int(ids[row]): tuple(
            names[name][network.column(name)[row]] if name in names else network.column(name)[row].item()
            for name in sorted(COLUMNS)
        )
        for row in alive
    }
    vectors = dict(zip(ids[alive].tolist(), network.vectors_at(alive).round(5).tolist(), strict=True))
    edges = {
        (int(ids[a]), int(ids[b]), int(kind)): float(weight)
        for a, b, kind, weight in zip(*network.edges, strict=True)
        if network.column('alive')[[a, b]].all()
    }
    return nodes, vectors, edges


def loaded(folder, embedder=EMBEDDER):
    store = open_store(folder)
    try:
        return store.load(embedder.dimensions, embedder.spec)
    finally:
        store.close()


def test_the_network_from_kept_arrays_is_the_one_from_rows(folder):
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory)
        memory.context('What does the harbour gala need?', BEGIN + timedelta(days=3))
        memory.pin([1])
        memory.forget(BEGIN + timedelta(days=4), 500)
        tell(memory, 3, 100)
    kept = described(loaded(folder))
    assert arrays_file(folder).exists()
    arrays_file(folder).unlink()
    assert kept == described(loaded(folder))
    assert all(kept)


def test_arrays_of_another_state_of_the_rows_are_not_used(folder):
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory)
    before = arrays_file(folder).read_bytes()
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory, 2, 200)
        expected = described(memory.network)
    # As if the process had been killed before it wrote them.
    arrays_file(folder).write_bytes(before)
    assert described(loaded(folder)) == expected
    # Who is not there any more is not in a file either.
    assert not arrays_file(folder).exists()


def test_rows_whose_state_has_no_number_have_no_arrays(folder):
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory)
    # As of a network that was made before states had numbers; those of another one may be left beside it.
    with closing(sqlite3.connect(folder.path / NETWORK_FILE)) as connection, connection:
        connection.execute("UPDATE meta SET value = 0 WHERE key = 'stamp'")
    header, arrays = map_arrays(arrays_file(folder))
    other = {name: array[:0] for name, array in arrays.items() if name not in ('centres', 'cells')}
    write_arrays(arrays_file(folder), {**header, 'stamp': 0}, other)
    with open_semantic(folder, EMBEDDER) as memory:
        assert len(memory.network)
        assert not arrays_file(folder).exists()
    assert not arrays_file(folder).exists()
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory, 1, 100)
    assert arrays_file(folder).exists()


@pytest.mark.parametrize('left', [0, 20, 3000])
def test_damaged_arrays_are_not_used(folder, left):
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory)
        expected = described(memory.network)
    data = arrays_file(folder).read_bytes()
    arrays_file(folder).write_bytes(data[:left])
    assert described(loaded(folder)) == expected


def test_arrays_of_another_embedder_are_not_used(folder):
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory)
    other = loaded(folder, HashedEmbedder(32))
    assert len(other)
    assert not other.column('has_vector').any()


def test_erasing_removes_them(folder):
    with open_semantic(folder, EMBEDDER) as memory:
        tell(memory)
    assert arrays_file(folder).exists()
    store = open_store(folder)
    store.erase('person-1@x')
    store.close()
    assert not list((folder.path / INDEX_FOLDER).glob('network*'))


def test_the_partition_is_kept_and_what_is_newer_is_found_as_well(folder, monkeypatch):
    settings = SemanticConfig(exact_up_to=1)
    with open_semantic(folder, EMBEDDER, settings=settings) as memory:
        tell(memory)
        memory.prepare()
        before = memory.network.cells
    stale = arrays_file(folder).read_bytes()

    def fail(_):
        raise AssertionError('the partition was made anew')

    monkeypatch.setattr('lucca_memory.semantic.graph.nearest.Nearest._partition', fail)
    with open_semantic(folder, EMBEDDER, settings=settings) as memory:
        memory.prepare()
        assert (memory.network.cells.centres == before.centres).all()
        memory.forget(BEGIN + timedelta(days=9), 900)
        tell(memory, 2, 300)
        gone = memory.forgotten()[0].node_id
        memory.restore([gone], BEGIN + timedelta(days=9))
        memory.prepare()
    # The rows have gone on, the arrays have not.
    arrays_file(folder).write_bytes(stale)
    with open_semantic(folder, EMBEDDER, settings=settings) as memory:
        memory.prepare()
        cells = memory.network.cells.of_row
        has_vector = memory.network.column('has_vector')[: len(cells)]
        assert ((cells < len(before.centres)) == has_vector).all()
        assert (cells >= 0).all()
        found = memory.context('What needs the soup of Ada Brink 300?', BEGIN + timedelta(days=9))
        assert any('300' in item.text for item in found.items)
