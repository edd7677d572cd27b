"""The network of a data folder as a page sees it: nodes, ties, and what was forgotten."""

from datetime import UTC, datetime, timedelta

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.data_folder import DataFolder
from lucca_memory.semantic.opening import open_semantic
from lucca_memory.semantic.values import Statement
from lucca_view.memory_nodes import network_state, read_nodes

BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)


def fill(data_dir, forget=True):
    with DataFolder.open(data_dir, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        for number, text in enumerate(('My boat is called Petrel.', 'The harbour is full.', 'Tea is on the shelf.')):
            said = BEGAN + timedelta(hours=number)
            memory.hear([Statement(text=text, speaker='Ana', time=said, source=f'said:{number}', pinned=not number)])
        if forget:
            memory.forget(BEGAN + timedelta(days=400), budget_bytes=30)


def test_nodes_come_with_what_ties_them(tmp_path):
    fill(tmp_path, forget=False)
    seen = read_nodes(tmp_path)
    assert seen.nodes[0].text == 'My boat is called Petrel.'
    assert seen.nodes[0].pinned
    names = {item.node for item in seen.nodes}
    assert seen.edges
    assert all(edge.a in names and edge.b in names for edge in seen.edges)


def test_no_edge_leads_to_a_node_that_is_not_shown(tmp_path):
    fill(tmp_path, forget=False)
    seen = read_nodes(tmp_path, most=2)
    assert len(seen.nodes) == 2
    assert {name for edge in seen.edges for name in (edge.a, edge.b)} <= {item.node for item in seen.nodes}


def test_what_was_forgotten_comes_with_its_reason(tmp_path):
    fill(tmp_path)
    (gone, *_) = read_nodes(tmp_path).forgotten
    assert gone.text in ('The harbour is full.', 'Tea is on the shelf.')
    assert gone.reason


def test_the_state_of_the_files_changes_with_the_network_and_not_by_reading(tmp_path):
    assert network_state(tmp_path) == ()
    fill(tmp_path, forget=False)
    read_nodes(tmp_path)
    before = network_state(tmp_path)
    read_nodes(tmp_path)
    assert network_state(tmp_path) == before
    with DataFolder.open(tmp_path, write=True) as folder, open_semantic(folder, HashedEmbedder()) as memory:
        memory.hear([Statement(text='It rains.', speaker='Ana', time=BEGAN, source='said:9')])
    assert network_state(tmp_path) != before
