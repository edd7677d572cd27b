"""What is said twice in other words stays, until there is too little room for everything."""

import pytest

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.decision import decide
from lucca_memory.semantic.graph.change import OPEN, STATEMENT, Edge, EdgeKind, Node
from lucca_memory.semantic.graph.network import Network

NEAR = ('The server for the juniper study is RN-25.', 'The juniper study computes on server RN-25.')
OTHERS = ('Mira keeps the keys of Maple House.', 'Otto Kern plays the cello on Tuesdays.')


def bytes_of(*texts):
    return sum(len(text.encode()) for text in texts)


def test_with_room_for_both_nothing_is_forgotten(talk):
    talk.say(*NEAR, *OTHERS)
    talk.memory.forget(talk.now, bytes_of(*NEAR, *OTHERS))
    assert talk.living() == sorted((*NEAR, *OTHERS))


@pytest.mark.parametrize('texts', [(*NEAR, *OTHERS), (*OTHERS, *NEAR), (NEAR[0], *OTHERS, NEAR[1])])
def test_one_of_two_texts_that_say_nearly_the_same_goes_before_anything_else(talk, texts):
    talk.say(*texts)
    talk.memory.forget(talk.now, bytes_of(*texts) - 1)
    assert {*OTHERS} < {*talk.living()}
    assert len(talk.living()) == 3


@pytest.mark.parametrize(('valid_to', 'ratio'), [(OPEN, 0.1), (1, 1)])
def test_only_a_repetition_that_still_holds_takes_from_the_worth_of_the_other(valid_to, ratio):
    network = Network(0)
    network.add_nodes(
        [
            Node(node_id=1, kind=STATEMENT, text='a text', born=0, last=10**12, valid_to=valid_to),
            Node(node_id=2, kind=STATEMENT, text='a text', born=0, last=0),
            Node(node_id=3, kind=STATEMENT, text='a text', born=0, last=0),
        ]
    )
    network.add_edges([Edge(a=1, b=2, kind=EdgeKind.REPEATS, weight=1.0)])
    worth = decide(network, 10**13, ForgettingConfig(), budget_bytes=1).worth
    assert worth[1] / worth[2] == pytest.approx(ratio)


def test_a_denial_is_no_repetition(talk):
    talk.say('The fee of the choir is 30 euros.', 'The fee of the choir is not 30 euros.', *OTHERS)
    assert EdgeKind.REPEATS not in talk.memory.network.edges[2].tolist()


def test_what_was_asked_to_be_kept_stays(talk):
    talk.say(NEAR[0], pinned=True)
    talk.say(NEAR[1], *OTHERS)
    talk.memory.forget(talk.now, 0)
    assert talk.living() == [NEAR[0]]
