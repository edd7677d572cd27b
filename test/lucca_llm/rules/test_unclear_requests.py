"""What an unclear request may mean is proposed by a model, checked by the rules, and asked about."""

import re

import pytest
from conversation import ask
from hypothesis import given
from hypothesis import strategies as st
from writer import Writer

from lucca_core.errors import ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.assisted_rules import AssistedRules
from lucca_llm.proposal_examples import load_examples
from lucca_llm.rules.rule_based_model import RuleBasedModel

TABLE = (
    'Objects on the table: apple (red), banana (yellow), cup (blue), mug, hammer, red cube, blue cube\n'
    'In box 1: none\nIn box 2: pear (green)\nIn bowl: none\nIn tower: none'
)
UNCLEAR = 'Beam that banana up into this hand of mine.'
"""The rules do not read it, and it mentions no place and nobody to whom the banana goes."""


def assisted(said, writes, *, table=TABLE, **kwargs):
    """The answer of the rules with a model behind them that writes this text or is this Writer."""
    writer = writes if isinstance(writes, Writer) else Writer(writes)
    return ask(said, table=table, by=AssistedRules(RuleBasedModel(), writer), **kwargs)


def question(request):
    return f'<cannot_do(I am not sure what you asked for. Shall I do it: “{request}”?)>'


@pytest.mark.parametrize(
    ('said', 'written', 'request_'),
    [
        (UNCLEAR, 'Give me the banana.', 'Give me the banana'),
        ('That thing for driving nails in - box 2 for it.', 'Put the hammer in box 2.', 'Put the hammer in box 2'),
        ('Beam the red one up into box 1.', 'Put all the red things in box 1.', 'Put all the red things in box 1'),
        (
            'Make a fine stack out of these cubes, lad.',
            'Put the red cube on the tower. Put the blue cube on the tower.',
            None,
        ),
        ('See the banana? I want it.', 'Give me the banana.', 'Give me the banana'),
        ('Beam the banana up, the apple may rest.', 'Leave the apple. Give me the banana.', 'Give me the banana'),
        # people correct themselves: the last place counts
        (
            'Beam the cup into box 2, ah, box 1.',
            'Put the cup in box 2. Put the cup in box 1.',
            'Put the cup in box 1',
        ),
    ],
)
def test_a_proposal_is_asked_about(said, written, request_):
    assert assisted(said, written) == question(request_ or written.rstrip('.'))


def test_a_yes_to_it_is_a_request_in_its_words():
    asked = assisted(UNCLEAR, 'Give me the banana.')
    writer = Writer('Nothing.')
    assert assisted('Yes, please.', writer, before=[UNCLEAR], answers=[asked]) == '<do(Give me the banana)>'
    assert writer.asked == []


@pytest.mark.parametrize('said', ['No.', 'no thanks', 'Nope, not that', "No, that's wrong."])
def test_a_no_to_it_leaves_it(said):
    asked = assisted(UNCLEAR, 'Give me the banana.')
    answer = assisted(said, 'Nothing.', before=[UNCLEAR], answers=[asked])
    assert answer == '<say(All right, I leave it. What shall I do instead?)>'
    assert ask(said, table=TABLE) != answer


@pytest.mark.parametrize(
    'written',
    [
        '',
        'Nothing.',
        'Something else.',
        'Leave the banana.',
        'Sure! Give me the banana.',
        'Give me the banana. I will do it now.',
        '<do(give me the banana)>',
        'Throw the banana.',
        'Give me the giraffe.',
        'Put the banana in box 1.',  # no place was named
        'Give me the apple.',  # the banana was named instead
        'Give me the banana, the apple and the cup.',
        'Give me everything.',
        'Give me all the fruit.',
        'Give me the rest.',
        'Give me the banana, my name is Bob.',
        'Give me the banana tomorrow.',
        'Give me the banana.\n<do(put the cup in box 1)>',
        'Give me the banana. ' * 100,
    ],
)
def test_what_was_not_said_is_not_proposed(written):
    assert assisted(UNCLEAR, written) == ask(UNCLEAR, table=TABLE)


def test_a_thing_that_was_not_described_is_not_guessed():
    vague = 'uh take the the thing and and put it in the in the box'
    writer = Writer('Put the cup in box 1.')
    assert assisted(vague, writer) == ask(vague, table=TABLE)
    assert writer.asked == []


def test_a_proposal_that_was_cut_off_is_dropped():
    assert assisted(UNCLEAR, Writer('Give me the banana.', finish_reason='length')) == ask(UNCLEAR, table=TABLE)


@pytest.mark.parametrize(
    ('said', 'written'),
    [
        ('Beam the banana and the apple up to me, lad', 'Give me the banana.'),
        ('Sling us the red cube', 'Give me the blue cube.'),
        ('Beam the red cup up to me', 'Give me the blue cup.'),
        ('Shove they cubes in the second box, will ye', 'Put all the cubes in box 1.'),
        ('All right, sling us the banana', 'Give me the hammer.'),
        ('All right, sling us the banana', 'Give me everything.'),
        ('Beam the cubes up into box 1 but the red one bides here', 'Put all the cubes in box 1.'),
        ('Under no circumstances beam the banana up into box 1.', 'Put the banana in box 1.'),
        (
            'Under no circumstances beam the banana up into box 1, the cup can bide.',
            'Put the banana in box 1. Leave the cup.',
        ),
        ('Beam the banana up into box 1 - naw, dinnae.', 'Put the banana in box 1.'),
        ('Beam that thing up into box 1, for driving nails', 'Put the hammer, the cup and the mug in box 1.'),
        ('Bung the pear in box 2 over to us', 'Put the pear in box 2.'),  # it lies there
        ('Put the apple in box 1 upside down.', 'Put the apple in box 1.'),  # the rules tell what is left out
    ],
)
def test_what_adds_to_it_or_leaves_a_part_of_it_out_is_not_proposed(said, written):
    assert assisted(said, written) == ask(said, table=TABLE)


@pytest.mark.parametrize(
    ('said', 'written', 'request_'),
    [
        (
            'Beam everything up into box 1, the hammer can bide',
            'Put everything in box 1. Leave the hammer.',
            'Put everything except the hammer in box 1',
        ),
        (
            'Beam the cubes up into box 1 but the red one bides here',
            'Put all the cubes in box 1. Leave the red cube.',
            'Put all the cubes except the red cube in box 1',
        ),
        ('Beam the banana up into box 1, ach, it can bide', 'Put the banana in box 1. Leave the banana.', None),
        ('Beam everything up into box 1, the banana to me', 'Put everything in box 1. Give me the banana.', None),
        (
            'Beam everything up into box 1, the banana to me',
            'Put everything except the banana in box 1. Give me the banana.',
            'Put everything except the banana in box 1. Give me the banana',
        ),
    ],
)
def test_what_is_left_is_excepted_and_what_contradicts_itself_is_dropped(said, written, request_):
    assert assisted(said, written) == (question(request_) if request_ else ask(said, table=TABLE))


@pytest.mark.parametrize(
    'said',
    ['Sling us the banana', 'for x in (hammer, mug): box2.append(x)', 'I fancy the banana', 'See the cup? I want it.'],
)
def test_a_guest_is_asked_too(said):
    thing = next(name for name in ('banana', 'hammer', 'cup') if name in said)
    proposal = 'Put the hammer and the mug in box 2.' if 'box' in said else f'Give me the {thing}.'
    assert assisted(said, proposal, person='') == question(proposal.rstrip('.'))


@pytest.mark.parametrize('said', ['Ouch!', 'ja', 'Hurry up', 'Do a dance.', 'x' * 401 + ' the banana'])
def test_nothing_is_asked_where_nothing_here_is_spoken_of_or_the_text_is_long(said):
    writer = Writer('Give me the banana.')
    assisted(said, writer)
    assert writer.asked == []


def test_nothing_is_asked_without_a_table_or_at_an_empty_one():
    writer = Writer('Give me the banana.')
    for table in (None, 'Objects on the table: none\nIn box 1: none'):
        assisted(UNCLEAR, writer, table=table)
    assert writer.asked == []


def test_what_was_said_before_does_not_change_what_a_proposal_means():
    before = {'before': ['Give me a cup.'], 'answers': ['<cannot_do(Which one do you mean by “a cup”: cup or mug?)>']}
    asked = {'asked': 'Which one do you mean by “a cup”: cup or mug?', 'asked_of': 'Give me a cup.'}
    said = 'Beam the cup up into box 1.'
    assert assisted(said, 'Put the cup in box 1.', **before, **asked) == question('Put the cup in box 1')


@pytest.mark.parametrize(
    'said',
    [
        'Put the apple in box 1.',
        'Which things are red?',
        'Where is the cup?',
        'How do you do, robot?',
        'I had a banana like that once.',
        'Beam the banana up tomorrow.',
        'When Bob comes, beam the banana up into my hand.',
        'Do not beam the banana up.',
        'Beam the banana up, never mind.',
        'Beam the banana up... actually, scrap that. Leave it where it is.',
        'He said: “beam the banana up”.',
        'Stop!',
        'Bob, beam the banana up into my hand.',
        'Beam the banana up if it is ripe.',
        'He told me to beam the banana up.',
        'I will beam the banana up myself.',
        'Beam the banana up at 15:00.',
    ],
)
def test_what_is_understood_told_postponed_forbidden_or_quoted_is_not_open_to_proposals(said):
    writer = Writer('Give me the banana.')
    assert assisted(said, writer) == ask(said, table=TABLE)
    assert writer.asked == []


SENTENCE = st.builds(
    '{} {}{}.'.format,
    st.sampled_from(['Give me', 'Put', 'Point at', 'Leave', 'Throw']),
    st.sampled_from(['the banana', 'the cup and the mug', 'everything', 'all the cubes', 'the giraffe', '“x”', '<a>']),
    st.sampled_from(['', ' in box 1', ' in the bowl', ' on the tower', ' into the sea']),
)


@given(st.one_of(st.text(max_size=200), st.lists(SENTENCE, max_size=8).map(' '.join)))
def test_whatever_is_written_only_asks(written):
    for said in (UNCLEAR, 'Beam everything up into box 1 or the bowl or the tower'):
        answer = assisted(said, written)
        assert answer == ask(said, table=TABLE) or re.fullmatch(
            re.escape(question('?')).replace(r'\?”', '[^“”]+”'), answer
        )


def test_the_model_sees_the_table_and_the_text_and_may_write_only_what_is_there():
    writer = Writer('Nothing.')
    assisted('Beam what is heavy, the hammer, up next to what is in box 2.', writer)
    ((messages, options),) = writer.asked
    assert messages[-1].content == (
        'Things: apple (red), banana (yellow), cup (blue), mug, hammer, red cube, blue cube, pear (green, in box 2). '
        'Places: in box 1, in box 2, in the bowl, on the tower.\nThe person says: '
        'Beam what is heavy, the hammer, up next to what is in box 2.'
    )
    assert '"the hammer"' in options.grammar
    assert '"in box 2"' in options.grammar
    assert '"in the bowl"' not in options.grammar
    assert (options.tools, options.choices, options.json_schema, options.temperature) == ((), (), None, 0.0)


def test_a_model_that_fails_leaves_the_answer_of_the_rules(caplog):
    assert assisted(UNCLEAR, Writer('', fails=ModelTimeout('late'))) == ask(UNCLEAR, table=TABLE)
    assert 'late' in caplog.text


def test_a_check_shows_the_examples_once():
    writer = Writer('Nothing.')
    AssistedRules(RuleBasedModel(), writer).check(20.0)
    ((messages, options),) = writer.asked
    assert list(messages[:-1]) == load_examples().messages
    assert options.deadline_s <= 20.0


@pytest.mark.parametrize('error', [ModelTimeout('late'), ModelRetryable('gone'), ModelUnusable('too long')])
def test_a_check_does_not_fail_where_only_the_examples_do(error, caplog):
    AssistedRules(RuleBasedModel(), Writer('', fails=error)).check(20.0)
    assert str(error) in caplog.text


def test_the_cost_of_both_is_counted():
    reply = AssistedRules(RuleBasedModel(), Writer('Give me the banana.'))
    alone = RuleBasedModel()
    costs = []

    class Counting:
        spec = 'counting'

        def __init__(self, model):
            self.model = model

        def chat(self, messages, options, **kwargs):
            costs.append(self.model.chat(messages, options, **kwargs))
            return costs[-1]

    for model in (reply, alone):
        ask(UNCLEAR, table=TABLE, by=Counting(model))
    assert costs[0].prompt_tokens == costs[1].prompt_tokens + 9
    assert costs[0].completion_tokens == costs[1].completion_tokens + 3
    assert costs[0].model_s >= 1.0
