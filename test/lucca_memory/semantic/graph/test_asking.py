"""How much people ask, and how far importance is trusted as they come back to what they asked about."""

import dataclasses
import re
from datetime import timedelta

import pytest
from heard import BEGIN, HOUR_US, NOW, counts, hear, memory_of
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.decision import decide
from lucca_memory.semantic.graph.centrality import asked_for
from lucca_memory.semantic.graph.change import CONCEPT, STATEMENT, Node
from lucca_memory.semantic.graph.network import Network


def test_people_ask_as_much_as_they_are_expected_to_or_less():
    memory = memory_of('The harbour gala starts at 19:30.', 'The cellar fair starts at 18:15.')

    def asking(day):
        return memory.terms(BEGIN + timedelta(days=day))[1].asking.amount

    assert asking(0) == 1, 'nothing has waited for a question yet'
    assert asking(60) == 0
    memory.context('When does the harbour gala start?', BEGIN + timedelta(days=60))
    assert 0 < asking(60) <= 1
    for _ in range(20):
        memory.context('When does the harbour gala start?', BEGIN + timedelta(days=60))
    assert asking(60) == 1


def test_importance_is_trusted_as_far_as_people_come_back_to_what_they_asked_about():
    things = ['harbour gala', 'cellar fair', 'garden show', 'river race', 'winter ball', 'island trip', 'choir night']

    def returning(*asked):
        memory = memory_of(*(f'The {thing} starts at {18 + n}:15.' for n, thing in enumerate(things)))
        for thing in asked:
            memory.context(f'When does the {thing} start?', BEGIN + timedelta(days=9))
        return memory.terms(BEGIN + timedelta(days=9))[1].asking.returning

    assert returning() == 1
    assert returning(*things) < returning(*things[:1]) < 1
    assert returning(*things, *things, *things) == 1


@given(st.lists(counts, min_size=1, max_size=8), st.integers(0, 7))
def test_coming_back_is_a_share_that_a_return_never_lowers(asked, place):
    def returning(uses):
        network = Network(0)
        network.add_nodes(
            [
                Node(node_id=n + 1, kind=CONCEPT, key=n, text='', born=0, last=0, used=float(use))
                for n, use in enumerate(uses)
            ]
        )
        return asked_for(network, NOW, ForgettingConfig())[1].returning

    before = returning(asked)
    place %= len(asked)
    assert 0 <= before <= 1
    if asked[place] >= 1:
        assert returning([*asked[:place], asked[place] + 1, *asked[place + 1 :]]) >= before


def test_who_asks_for_each_thing_once_keeps_what_was_heard_lately():
    old = ['Ada keeps bees.', 'Ben plays chess.', 'Cleo bakes bread.', 'Dora climbs rocks.', 'Egon paints doors.']
    new = ['Finn builds boats.', 'Gina grows roses.', 'Hugo tunes pianos.', 'Iris mends clocks.', 'Jona carves spoons.']
    memory = memory_of(*old)
    memory.config = ForgettingConfig()
    for day, text in enumerate(new, 5):
        hear(memory, day, text)
        memory.context(f'What about {text.split()[0]}?', BEGIN + timedelta(days=day))
    now = BEGIN + timedelta(days=10)
    assert memory.terms(now)[1].asking.once > 0
    memory.forget(now, sum(len(text.encode()) for text in new))
    assert set(memory.texts()) == set(new)


def asked_once(count):
    """Concepts that were asked about once each."""
    return [Node(node_id=n, kind=CONCEPT, key=n, text='', born=0, last=0, used=1.0) for n in range(1, count + 1)]


def asking_of(nodes, removed=()):
    network = Network(0)
    network.add_nodes(nodes)
    network.remove(removed)
    return asked_for(network, NOW, ForgettingConfig())[1]


def test_questions_about_a_removed_concept_no_longer_count():
    often = Node(node_id=11, kind=CONCEPT, key=11, text='', born=0, last=0, used=9.0)
    assert asking_of([*asked_once(10), often]) != asking_of(asked_once(10))
    assert asking_of([*asked_once(10), often], removed=[11]) == asking_of(asked_once(10))


def test_less_than_a_question_is_no_return():
    less = [dataclasses.replace(concept, used=0.9) for concept in asked_once(10)]
    assert asking_of(less).returning < 1


def test_an_old_text_that_nothing_can_forget_does_not_make_the_others_new():
    def worth(*pinned):
        network = Network(0)
        texts = [
            Node(
                node_id=20 + day,
                kind=STATEMENT,
                key=day,
                text='x' * (9 - day % 2),
                born=NOW - day * 24 * HOUR_US,
                last=NOW - day * 24 * HOUR_US,
            )
            for day in range(8)
        ]
        network.add_nodes([*asked_once(10), *texts, *pinned])
        return decide(network, NOW, ForgettingConfig(), budget_bytes=40).worth[10:18].tolist()

    assert worth() == worth(Node(node_id=99, kind=STATEMENT, key=99, text='', born=0, last=0, pinned=True))


def test_the_reason_for_forgetting_is_true_if_importance_did_not_decide():
    memory = memory_of(
        'Ada Brink keeps 40 bees in Ulm.', 'Ben Cole plays chess at 19:30.', 'Dora Eck has 12 goats in Bonn.'
    )
    memory.config = ForgettingConfig()
    hear(memory, 59, 'Well, so that is how it is with all of that then.')
    memory.forget(BEGIN + timedelta(days=60), 65)
    assert memory.forgotten()
    for item in memory.forgotten():
        if found := re.match(r'importance (\S+) < (\S+) ', item.reason):
            assert float(found[1]) < float(found[2])
        else:
            assert re.match(r'worth \S+ is among the least for the budget, importance \S+ \(R ', item.reason)


def test_the_share_that_is_trusted_lies_above_chance():
    with pytest.raises(ValueError, match=r'sure_returns must be above chance_returns, which is 0\.3, got 0\.3'):
        ForgettingConfig(chance_returns=0.3, sure_returns=0.3)
