"""Laws of I = α·R + β·F + γ·C: what public code got wrong is here first."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.importance import MICROSECONDS_PER_H, terms_of_importance
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Change, Edge, EdgeKind, Node, NodeUpdate
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

NOW = 10**15
hours = st.floats(0, 24 * 365 * 5, allow_nan=False)
rates = st.floats(1e-4, 0.1)


def network_of(*nodes, edges=()):
    network = Network(0)
    network.add_nodes(nodes)
    network.add_edges(edges)
    return network


def node(node_id, *, age_h=0.0, **values):
    last = NOW - int(age_h * MICROSECONDS_PER_H)
    return Node(
        node_id=node_id, kind=values.pop('kind', STATEMENT), text=f'text {node_id}', born=last, last=last, **values
    )


@settings(deadline=None, max_examples=50)
@given(hours, hours, rates)
def test_recency_falls_with_time_and_never_rises(one, other, rate):
    terms = terms_of_importance(
        network_of(node(1, age_h=min(one, other)), node(2, age_h=max(one, other))),
        NOW,
        ForgettingConfig(decay_per_h=rate),
    )
    assert 1 >= terms.recency[0] >= terms.recency[1] >= 0


@settings(deadline=None, max_examples=50)
@given(hours, rates)
def test_recency_is_the_curve_of_the_paper(age, rate):
    terms = terms_of_importance(network_of(node(1, age_h=age)), NOW, ForgettingConfig(decay_per_h=rate))
    assert terms.recency[0] == pytest.approx(np.exp(-rate * age), abs=1e-5)


@settings(deadline=None, max_examples=50)
@given(st.lists(hours, min_size=1, max_size=5))
def test_any_number_of_passes_decays_no_more_than_one(ages):
    memory = ConceptMemory(NoEmbedder(), ForgettingConfig(theta=0.0))
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    memory.hear([Statement(text='The kiln is in Ulm', speaker='Anna', time=begin, source='said:1')])
    for age in sorted(ages):
        memory.forget(begin + timedelta(hours=age))
    network, terms = memory.terms(begin + timedelta(hours=max(ages)))
    row = int(np.flatnonzero(network.column('kinds') == STATEMENT)[0])
    assert terms.recency[row] == pytest.approx(np.exp(-memory.config.decay_per_h * max(ages)), abs=1e-4)


@settings(deadline=None, max_examples=50)
@given(st.floats(0, 50), st.floats(0, 50))
def test_more_use_never_makes_a_node_less_important(one, other):
    low, high = sorted((one, other))
    terms = terms_of_importance(network_of(node(1, used=low), node(2, used=high)), NOW, ForgettingConfig())
    assert terms.importance[0] <= terms.importance[1]


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.tuples(hours, st.floats(0, 1e6), st.integers(1, 1000), st.lists(st.integers(0, 4), max_size=5, unique=True)),
        min_size=1,
        max_size=12,
    ),
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1)),
)
def test_every_term_and_the_sum_lie_between_0_and_1(statements, weights):
    concepts = [node(number + 1, kind=CONCEPT, key=number + 1) for number in range(5)]
    nodes = [
        node(number + 10, age_h=age, used=used, told=told) for number, (age, used, told, _) in enumerate(statements)
    ]
    edges = [
        Edge(a=number + 10, b=concept + 1, kind=EdgeKind.MENTIONS, weight=1.0)
        for number, (*_, mentions) in enumerate(statements)
        for concept in mentions
    ]
    alpha, beta, gamma = weights
    terms = terms_of_importance(
        network_of(*concepts, *nodes, edges=edges), NOW, ForgettingConfig(alpha=alpha, beta=beta, gamma=gamma)
    )
    for values in (terms.recency, terms.frequency, terms.centrality, terms.importance):
        assert np.isfinite(values).all()
        assert values.min() >= 0
        assert values.max() <= 1 + 1e-6


@pytest.mark.parametrize(
    'values',
    [
        {'alpha': -0.1},
        {'decay_per_h': 0.0},
        {'theta': 1.5},
        {'alpha': 0.0, 'beta': 0.0, 'gamma': 0.0},
        {'group_size': 1},
        {'compressed_share': 2.0},
    ],
)
def test_parameters_out_of_range_are_refused_by_name(values):
    with pytest.raises(ValueError, match=next(iter(values))):
        replace(ForgettingConfig(), **values)


def test_a_change_that_does_nothing_is_empty():
    assert Change().is_empty
    assert not Change(touches=(NodeUpdate(node_id=1, used=1.0),)).is_empty
