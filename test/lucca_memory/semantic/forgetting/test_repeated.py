"""What is said twice in other words stays, until there is too little room for everything."""

import pytest

from lucca_memory.semantic.graph.change import EdgeKind

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


def test_a_text_does_not_go_first_because_of_one_that_is_gone(talk):
    talk.say(NEAR[0], *OTHERS, NEAR[1])
    first = int(talk.memory.network.column('ids')[0])
    assert talk.memory.store.nodes([first])[first].text == NEAR[0]
    talk.memory.forget_nodes([first], talk.now)
    talk.memory.forget(talk.now, bytes_of(*talk.living()) - 1)
    assert NEAR[1] in talk.living() and len(talk.living()) == 2


def test_a_denial_is_no_repetition(talk):
    talk.say('The fee of the choir is 30 euros.', 'The fee of the choir is not 30 euros.', *OTHERS)
    assert EdgeKind.REPEATS not in talk.memory.network.edges[2].tolist()


def test_what_was_asked_to_be_kept_stays(talk):
    talk.say(NEAR[0], pinned=True)
    talk.say(NEAR[1], *OTHERS)
    talk.memory.forget(talk.now, 0)
    assert talk.living() == [NEAR[0]]
