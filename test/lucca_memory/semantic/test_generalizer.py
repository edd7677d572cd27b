"""Before a pass, statements about one concept become a general node, if a compressor's text may stand for them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lucca_core.errors import ModelTimeout, ModelUnusable
from lucca_memory.semantic.answering.explanation import explain
from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.compression import ShorteningCompressor
from lucca_memory.semantic.generalizer import Generalizer
from lucca_memory.semantic.graph.change import GENERAL

KILN = ['The kiln really is in Ulm.', 'The kiln of Ada is just 40 years old.', 'Actually, the kiln is never hot.']
OTHERS = ['Tom likes chess.', 'Paula lives in Bonn.']
NOTHING = 0


class Writing:
    """A compressor that answers what it is told to, and keeps what it was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def compress(self, texts):
        self.asked.append(tuple(texts))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def generalized(talk, compressor, budget=NOTHING, **more):
    generalizer = Generalizer(talk.memory, compressor, **more)
    while generalizer.step(talk.now, budget):
        pass
    return generalizer


def general_of(talk):
    network = talk.memory.network
    ids = network.column('ids')[network.column('alive') & (network.column('kinds') == GENERAL)].tolist()
    return list(talk.memory.store.nodes(ids).values())


def test_a_general_node_stands_for_its_members_and_says_which(talk):
    talk.say(*KILN, *OTHERS)
    assert generalized(talk, ShorteningCompressor()).made == 1
    [node] = general_of(talk)
    assert node.text == 'The kiln is in Ulm; kiln of Ada is 40 years old; the kiln is never hot'
    assert node.sources == ('said:1', 'said:2', 'said:3')
    assert talk.living() == sorted([node.text, *OTHERS])
    shown = explain(talk.memory, node.node_id, talk.now)
    assert sorted(text for _, text in shown['members']) == sorted(KILN)
    assert {item.into for item in talk.memory.forgotten()} == {node.node_id}


def test_a_part_of_a_general_node_is_still_found_and_superseded(talk):
    talk.say(*KILN)
    generalized(talk, ShorteningCompressor())
    talk.say('The kiln is in Jena.')
    context = talk.ask('Where is the kiln?')
    assert 'The kiln is in Jena.' in [item.text for item in context.valid]
    assert not any('Ulm' in item.text for item in context.valid)
    assert any('Ulm' in text for text in talk.living())


def test_a_general_node_becomes_a_member_of_a_wider_one(talk):
    talk.say(*KILN)
    generalized(talk, ShorteningCompressor())
    [first] = general_of(talk)
    talk.say('The kiln also has a really big door.')
    generalized(talk, ShorteningCompressor())
    [wider] = general_of(talk)
    assert wider.sources == ('said:1', 'said:2', 'said:3', 'said:4')
    assert first.node_id in [member for member, _ in explain(talk.memory, wider.node_id, talk.now)['members']]


@pytest.mark.parametrize(
    'answer',
    [
        '',
        'The kiln is in Jena.',
        'The kiln is in Ulm.',
        'x' * 5000,
        ModelTimeout('it hung'),
        ModelUnusable('no such model'),
    ],
)
def test_a_compressor_that_fails_or_lies_leaves_memory_and_the_pass_as_without_it(make_talk, talk, answer):
    other = make_talk(None)
    for each in (talk, other):
        each.say(*KILN, *OTHERS)
    before = talk.memory.stats(talk.now)
    assert generalized(talk, Writing(answer), 60).made == 0
    assert talk.memory.stats(talk.now) == before
    for each in (talk, other):
        each.memory.forget(each.now, 60)
    assert talk.living() == other.living()


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=120) | st.lists(st.sampled_from(' '.join(KILN).split()), max_size=20).map(' '.join))
def test_no_answer_makes_memory_larger_or_loses_a_source(make_talk, answer):
    talk = make_talk(None)
    talk.say(*KILN)
    before = talk.memory.stats(talk.now).bytes
    made = generalized(talk, Writing(answer)).made
    assert (talk.memory.stats(talk.now).bytes < before) == bool(made)
    network = talk.memory.network
    living = network.column('ids')[network.column('alive')].tolist()
    sources = {source for node in talk.memory.store.nodes(living).values() for source in node.sources}
    assert sources == {'said:1', 'said:2', 'said:3'}


def test_calls_and_their_time_are_bounded_for_each_pass(talk):
    for thing in ('kiln', 'boat', 'lamp', 'gate'):
        talk.say(f'The {thing} is really in Ulm{thing}.', f'The {thing} of Ada{thing} is just old.')
    talk.memory.config = ForgettingConfig(general_calls=2)
    assert generalized(talk, Writing('')).asked == 2
    ticks = iter(range(0, 1000, 50))
    talk.memory.config = ForgettingConfig(general_s=60.0)
    assert generalized(talk, Writing(''), clock=lambda: next(ticks)).asked == 2
    talk.memory.config = ForgettingConfig(general_calls=0)
    assert generalized(talk, Writing('')).asked == 0


def test_what_is_pinned_kept_outdated_or_of_another_person_is_not_touched(talk):
    talk.say('The kiln is in Ulm.', 'The kiln is in Jena.')
    talk.say('The kiln of Ada is 40 years old.', pinned=True)
    talk.say('The kiln of Mia is new.', owner='person-1@x')
    talk.say('The kiln of Olga is red.', speaker='Tom')
    writing = Writing('')
    generalized(talk, writing)
    generalized(talk, writing, 10_000)
    assert writing.asked == []


def test_what_speaks_of_a_day_is_only_joined_with_what_was_said_that_day(talk):
    talk.say('I fired the kiln yesterday.', 'The kiln was cold today.')
    talk.hours += 48
    talk.say('I fired the kiln of Ada yesterday.', 'The kiln is in Ulm.')
    writing = Writing('')
    generalized(talk, writing)
    assert writing.asked == []


def test_a_member_that_changed_while_the_compressor_worked_is_left_alone(talk):
    talk.say(*KILN)

    class Meanwhile(ShorteningCompressor):
        def compress(self, texts):
            talk.memory.pin(talk.memory.about_to_go(talk.now, 0)[0][:1])
            return super().compress(texts)

    assert generalized(talk, Meanwhile()).made == 0
    assert not general_of(talk)


def test_members_of_several_people_and_single_ones_are_refused(talk):
    talk.say('The kiln is really in Ulm.')
    talk.say('The kiln is really hot.', speaker='Tom')
    nodes = list(talk.memory.store.nodes(talk.memory.about_to_go(talk.now, 0) or [1, 2, 3, 4, 5]).values())
    told = [node for node in nodes if 'kiln is' in node.text]
    assert 'not of one person' in talk.memory.generalize(told, 'The kiln is in Ulm; The kiln is hot', talk.now)
    assert 'only one' in talk.memory.generalize(told[:1], 'The kiln is in Ulm', talk.now)
