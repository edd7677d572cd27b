"""Degree, PageRank and betweenness as C: what a graph library gives, scaled by kind; questions do not move them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from lucca_lab.forgetting.plain_centrality import plain_centrality
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.semantic.config import CENTRALITIES, ForgettingConfig
from lucca_memory.semantic.forgetting.importance import terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, OPEN, EdgeKind
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

NOW = datetime(2026, 1, 3, tzinfo=UTC)
PLAIN = CENTRALITIES[1:]
TEXTS = (
    'Ada Brink hosts the harbour gala.',
    'Copper House caters for the harbour gala.',
    'The harbour gala starts at 19:30.',
    'Tom Falck lives in Ulm.',
    'Ada Brink lives in Bonn.',
    'Ada Brink lives in Kiel.',
)


@pytest.fixture
def memory():
    memory = ConceptMemory(NoEmbedder())
    for number, text in enumerate(TEXTS):
        said = NOW - timedelta(hours=len(TEXTS) - number)
        memory.hear([Statement(text=text, speaker='Ada', time=said, source=f'said:{number}')])
    return memory


def graph_of(network):
    networkx = pytest.importorskip('networkx', reason='networkx is not installed')
    graph = networkx.Graph()
    alive = network.column('alive')
    graph.add_nodes_from(np.flatnonzero(alive).tolist())
    for a, b, kind, weight in zip(*(part.tolist() for part in network.edges), strict=True):
        if kind != EdgeKind.SUPERSEDES and alive[a] and alive[b]:
            before = graph.get_edge_data(a, b, {'weight': 0.0})['weight']
            graph.add_edge(a, b, weight=before + weight)
    return networkx, graph


def by_library(network, name):
    networkx, graph = graph_of(network)
    measures = {
        'degree': lambda: dict(graph.degree(weight='weight')),
        'pagerank': lambda: networkx.pagerank(graph, weight='weight', tol=1e-12),
        'betweenness': lambda: networkx.betweenness_centrality(graph),
    }
    found = measures[name]()
    values = np.zeros(len(network))
    values[list(found)] = list(found.values())
    is_concept = network.column('kinds') == CONCEPT
    for part in (is_concept, ~is_concept):
        values[part] /= values[part].max()
    values[network.column('valid_to') != OPEN] *= ForgettingConfig.history_share
    return values


@pytest.mark.parametrize('name', PLAIN)
def test_plain_centrality_is_what_a_graph_library_gives(memory, name):
    network = memory.network
    assert (network.column('valid_to') != OPEN).any(), 'one statement should be history'
    found = plain_centrality(network, ForgettingConfig(centrality=name))
    alive = network.column('alive')
    assert found[alive] == pytest.approx(by_library(network, name)[alive], abs=1e-5)


def test_questions_move_the_posterior_and_no_plain_centrality(memory):
    before = {name: terms(memory, name) for name in CENTRALITIES}
    memory.context('Where is the harbour gala?', NOW)
    after = {name: terms(memory, name) for name in before}
    assert {name for name in before if (before[name] != after[name]).any()} == {'posterior'}


def terms(memory, name):
    config = replace(ForgettingConfig(), centrality=name)
    return terms_of_importance(memory.network, int(NOW.timestamp() * 1e6), config).centrality


def test_paths_from_some_nodes_come_near_those_from_all(memory, monkeypatch):
    network, config = memory.network, ForgettingConfig(centrality='betweenness')
    alive = network.column('alive')
    monkeypatch.setattr('lucca_lab.forgetting.plain_centrality._PIVOTS', int(alive.sum()) - 2)
    some = plain_centrality(network, config)
    assert (some == plain_centrality(network, config)).all(), 'the pivots are drawn with a fixed seed'
    assert np.corrcoef(some[alive], by_library(network, 'betweenness')[alive])[0, 1] > 0.9


def test_an_empty_network_and_an_unknown_centrality():
    for name in PLAIN:
        assert not len(plain_centrality(ConceptMemory(NoEmbedder()).network, ForgettingConfig(centrality=name)))
    with pytest.raises(ValueError, match='centrality must be one of posterior, degree, pagerank, betweenness'):
        ForgettingConfig(centrality='closeness')
