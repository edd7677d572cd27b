"""Laws of C: what people come back to, and what that says of the things around it."""

import math
from datetime import timedelta

import numpy as np
from heard import BEGIN, HOUR_US, NOW, counts, hear, memory_of
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.compression import shortened
from lucca_memory.semantic.forgetting.decision import decide
from lucca_memory.semantic.graph.centrality import asked_for
from lucca_memory.semantic.graph.change import CONCEPT, GENERAL, OPEN, STATEMENT, Edge, EdgeKind, Node
from lucca_memory.semantic.graph.network import Network
from lucca_memory.semantic.language.extraction import NAME, PHRASE


def central(memory, day, text):
    network, terms = memory.terms(BEGIN + timedelta(days=day))
    ids = network.column('ids').tolist()
    nodes = memory.store.nodes(ids)
    [row] = [row for row, node_id in enumerate(ids) if network.column('alive')[row] and nodes[node_id].text == text]
    return float(terms.centrality[row])


def concepts(memory):
    network = memory.network
    rows = np.flatnonzero(network.column('alive') & (network.column('kinds') == CONCEPT))
    return {node.text for node in memory.store.nodes(network.column('ids')[rows].tolist()).values()}


def test_a_thing_that_was_asked_for_in_vain_matters_when_it_is_told_of_again():
    memory = memory_of('The harbour gala starts at 19:30.', 'The cellar fair starts at 18:15.')
    memory.forget(BEGIN + timedelta(days=1), 0)
    assert not memory.texts()
    memory.context('When does the harbour gala start?', BEGIN + timedelta(days=2))
    hear(memory, 3, 'Copper House caters for the harbour gala.', 'Velvet Barn caters for the cellar fair.')
    assert central(memory, 3, 'Copper House caters for the harbour gala.') > central(
        memory, 3, 'Velvet Barn caters for the cellar fair.'
    )


def test_what_has_to_do_with_each_other_is_known_after_the_statement_was_forgotten():
    memory = memory_of('Ada Brink hosts the harbour gala.', 'Tom Falck hosts the cellar fair.')
    memory.forget(BEGIN + timedelta(days=1), 0)
    for _ in range(3):
        memory.context('What is the budget of the harbour gala?', BEGIN + timedelta(days=2))
    hear(memory, 3, 'Ada Brink lives in Bonn.', 'Tom Falck lives in Ulm.')
    assert central(memory, 3, 'Ada Brink lives in Bonn.') > central(memory, 3, 'Tom Falck lives in Ulm.')


def test_what_one_and_the_same_is_said_of_ties_nothing_together():
    choirs = [
        ('Alder', 120, 'Ulm'),
        ('Beacon', 130, 'Bonn'),
        ('Cobalt', 140, 'Kiel'),
        ('Dawn', 150, 'Jena'),
        ('Echo', 160, 'Gera'),
    ]
    memory = memory_of(
        *(f'The yearly fee of the {name} Choir is {fee} euros.' for name, fee, _ in choirs),
        *(f'The {name} Choir rehearses in {town}.' for name, _, town in choirs),
    )
    before = central(memory, 1, 'The Beacon Choir rehearses in Bonn.')
    for _ in range(4):
        memory.context('What does the Alder Choir sing?', BEGIN + timedelta(days=1))
    assert central(memory, 1, 'The Alder Choir rehearses in Ulm.') > before + 0.2
    assert central(memory, 1, 'The Beacon Choir rehearses in Bonn.') < before + 0.05


def test_a_concept_goes_when_nothing_was_heard_or_asked_of_it_for_long():
    memory = memory_of('The harbour gala starts at 19:30.')
    memory.forget(BEGIN + timedelta(days=1), 0)
    assert 'harbour gala' in concepts(memory)
    memory.forget(BEGIN + timedelta(days=400), 0)
    assert not concepts(memory)


def plainly(network, now, config):
    """C as centrality.py describes it, one node at a time."""
    edges = list(zip(*(column.tolist() for column in network.edges), strict=True))
    alive, kinds, keys, born, last, valid_to, told, used = (
        network.column(name).tolist() for name in ('alive', 'kinds', 'keys', 'born', 'last', 'valid_to', 'told', 'used')
    )
    rows = range(len(network))
    mentions = [(a, b, w) for a, b, kind, w in edges if kind == EdgeKind.MENTIONS and alive[a] and alive[b]]
    related = [(a, b, w) for a, b, kind, w in edges if kind == EdgeKind.RELATED and alive[a] and alive[b]]
    topicality, shown = [1.0] * len(network), [0.0] * len(network)
    for row in rows:
        said = [
            keys[a] & 0xFFFFFFFF
            for a, b, w in mentions
            if b == row and w >= NAME and kinds[a] == STATEMENT and valid_to[a] == OPEN
        ]
        if said:
            topicality[row] = len(set(said)) / len(said)
            shown[row] = len(set(said)) / (len(said) + 1)
    named = [sum(b == row for _, b, _ in mentions) + max(0, told[row] - 1) for row in rows]
    mainly = []
    for row in rows:
        scores = {}
        for a, b, w in mentions:
            if a == row:
                scores[b] = min(w, PHRASE) + (shown[b] + 0.5 / named[b] if named[b] > 1 else 0) / 4
        mainly += [(row, b) for b, score in scores.items() if score == max(scores.values())]

    def waited(age):
        return 1 - math.exp(-max(age, 0) / HOUR_US / config.wait_h)

    own_waits, asks = [0.0] * len(network), [0.0] * len(network)
    for row in rows:
        if kinds[row] == CONCEPT:
            gone = max(told[row] - 1, 0)
            own_waits[row] = gone * waited(now - born[row] - max(last[row] - born[row], 0) // 2)
            asks[row] = max(used[row], 0)
    for a, b in mainly:
        own_waits[b] += 0 if kinds[a] == GENERAL else waited(now - born[a])
    step = np.zeros((len(network), len(network)))
    for a, b, w in related:
        tie = min(w, 1) * (topicality[a] * topicality[b]) ** 2
        step[a, b] += tie
        step[b, a] += tie
    root = np.sqrt(np.maximum(1, step.sum(axis=1)))
    step /= root[None, :]

    def pooled(values):
        values = np.array(values)
        first = step @ values
        back = (step * step.T).sum(axis=1)
        return values + config.reach * first + config.reach**2 * np.maximum(0, step @ first - back * values)

    prior = math.log(config.asked_share / (1 - config.asked_share))
    logit = prior + config.per_question * pooled(asks) - config.per_wait * pooled(own_waits)
    probable = 1 / (1 + np.exp(-config.temper * logit))
    found = [probable[row] if kinds[row] == CONCEPT and alive[row] else 0.0 for row in rows]
    for a, b in mainly:
        weight = max(w for x, y, w in mentions if (x, y) == (a, b))
        history = config.history_share if valid_to[a] != OPEN else 1
        found[a] = max(found[a], probable[b] * min(weight / PHRASE, 1) * history)
    return np.array(found)


@st.composite
def networks(draw):
    """Small networks with everything in them that there can be."""
    network = Network(0)
    count = draw(st.integers(2, 14))
    kinds = draw(
        st.lists(st.sampled_from([STATEMENT, STATEMENT, CONCEPT, CONCEPT, GENERAL]), min_size=2, max_size=count)
    )
    small = st.integers(0, 3)
    network.add_nodes(
        [
            Node(
                node_id=n + 1,
                kind=kind,
                key=draw(small) if kind != CONCEPT else n + 1,
                text='x' * draw(st.integers(1, 9)),
                born=NOW - draw(st.integers(0, 2000)) * HOUR_US,
                last=NOW - draw(st.integers(0, 500)) * HOUR_US,
                told=1 + draw(small),
                used=float(draw(small)),
                valid_to=draw(st.sampled_from([OPEN, OPEN, NOW])),
                pinned=draw(st.booleans()) and draw(st.booleans()),
            )
            for n, kind in enumerate(kinds)
        ]
    )
    concepts = [n + 1 for n, kind in enumerate(kinds) if kind == CONCEPT]
    others = [n + 1 for n, kind in enumerate(kinds) if kind != CONCEPT]
    edges = []
    if concepts and others:
        ends = st.tuples(st.sampled_from(others), st.sampled_from(concepts), st.sampled_from([0.05, 0.5, 1.0, 2.0]))
        edges += [Edge(a=a, b=b, kind=EdgeKind.MENTIONS, weight=w) for a, b, w in draw(st.lists(ends, max_size=30))]
    if len(concepts) > 1:
        ends = st.tuples(*[st.sampled_from(concepts)] * 2, st.sampled_from([0.5, 1.0]))
        edges += [
            Edge(a=min(a, b), b=max(a, b), kind=EdgeKind.RELATED, weight=w)
            for a, b, w in draw(st.lists(ends, max_size=12))
            if a != b
        ]
    network.add_edges(edges)
    network.remove(draw(st.lists(st.integers(1, len(kinds)), max_size=3)))
    return network


@settings(deadline=None, max_examples=60)
@given(networks())
def test_the_sums_over_arrays_are_what_is_said_of_one_node_after_the_other(network):
    config = ForgettingConfig()
    living = network.column('alive')
    found, _ = asked_for(network, NOW, config)
    assert np.allclose(found[living], plainly(network, NOW, config)[living], atol=1e-5)


@settings(deadline=None, max_examples=60)
@given(networks(), st.floats(0, 1), st.sampled_from([0.0, 1.0]))
def test_what_goes_matters_or_tells_least_and_of_equal_ones_is_the_oldest(network, share, telling):
    budget = int(share * network.column('sizes').sum())
    config = ForgettingConfig(telling=telling)
    decision = decide(network, NOW, config, budget_bytes=budget)
    gone = decision.pruned.tolist()
    worth, asking = decision.terms.importance, decision.terms.asking
    texts = network.column('alive') & (network.column('kinds') != CONCEPT) & ~network.column('pinned')
    if telling and asking.trust < 1:
        ages = NOW - network.column('last')
        lately = np.exp(np.float32(-asking.once / max(1, int(ages[texts].max(initial=0)))) * ages)
        told = network.column('tells') ** np.float32(1 - asking.trust)
        worth = np.asarray(worth ** np.float32(asking.trust) * told * lately, np.float32)
    assert gone == sorted(gone, key=lambda row: (worth[row], row))
    kept = set(np.flatnonzero(texts).tolist()) - set(gone)
    assert all((worth[row], row) > (worth[last], last) for row in kept for last in gone[-1:])


@settings(deadline=None, max_examples=50)
@given(st.lists(counts, min_size=4, max_size=4), st.lists(st.integers(0, 3000), min_size=4, max_size=4), counts)
def test_a_question_never_makes_anything_matter_less_and_time_never_more(asked, ages, more):
    def values(extra, later_h=0):
        now = 10**16 + later_h * HOUR_US
        network = Network(0)
        network.add_nodes(
            [
                *(
                    Node(
                        node_id=n + 1,
                        kind=CONCEPT,
                        key=n + 1,
                        text='',
                        born=10**16 - age * HOUR_US,
                        last=10**16,
                        used=float(use + (extra if n == 0 else 0)),
                    )
                    for n, (use, age) in enumerate(zip(asked, ages, strict=True))
                ),
                *(
                    Node(
                        node_id=n + 10,
                        kind=STATEMENT,
                        key=n,
                        text='',
                        born=10**16 - age * HOUR_US,
                        last=10**16,
                    )
                    for n, age in enumerate([*ages, *ages])
                ),
            ]
        )
        network.add_edges(
            [
                *(Edge(a=n + 10, b=n % 4 + 1, kind=EdgeKind.MENTIONS, weight=2.0) for n in range(8)),
                Edge(a=1, b=2, kind=EdgeKind.RELATED, weight=1.0),
                Edge(a=2, b=3, kind=EdgeKind.RELATED, weight=1.0),
            ]
        )
        return asked_for(network, now, ForgettingConfig())[0]

    assert (values(more) >= values(0) - 1e-6).all()
    assert (values(0, later_h=500) <= values(0) + 1e-6).all()
    assert ((values(more) >= 0) & (values(more) <= 1)).all()


def test_what_is_told_again_leaves_the_general_node_that_it_was_part_of():
    memory = memory_of(
        'The start of the harbour gala is at 19:30.',
        'The caterer of the harbour gala is Copper House.',
        'The host of the harbour gala is Ada Brink.',
    )
    size = sum(len(text.encode()) for text in memory.texts())
    memory.forget(BEGIN + timedelta(days=1), size - 9)
    assert any('; ' in text for text in memory.texts())
    hear(memory, 2, *('The caterer of the harbour gala is Copper House.', 'The host of the harbour gala is Ada Brink.'))
    texts = memory.texts()
    assert sum('caterer' in text for text in texts) == 1
    assert 'The caterer of the harbour gala is Copper House.' in texts
    kinds = memory.network.column('kinds')[memory.network.column('alive')]
    assert GENERAL in kinds
    assert any('19:30' in text for text in texts)


def test_shortening_leaves_names_whole():
    assert shortened('The harbour gala needs a brass kettle.') == 'The harbour gala needs brass kettle'
    assert shortened('The rent of the hall is 500 euros.') == 'rent of the hall is 500 euros'
    assert shortened('By the way, the yearly fee of Echo Choir is 20 euros.') == 'yearly fee of Echo Choir is 20 euros'
