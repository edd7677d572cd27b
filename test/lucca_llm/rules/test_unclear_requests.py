"""What an unclear request may mean is proposed by a model, checked by the rules, and asked about."""

import re
from pathlib import Path

import pytest
from conversation import ask
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError, ModelTimeout
from lucca_core.paths import config_dir
from lucca_llm.assisted_rules import AssistedRules
from lucca_llm.model import ChatReply
from lucca_llm.proposal_examples import load_examples
from lucca_llm.rules.rule_based_model import RuleBasedModel

TABLE = (
    'Objects on the table: apple (red), banana (yellow), cup (blue), mug, hammer, red cube, blue cube\n'
    'In box 1: none\nIn box 2: pear (green)\nIn bowl: none\nIn tower: none'
)
UNCLEAR = 'Beam the banana up into my hand.'


class Writer:
    """A model that writes one text, and keeps what it was asked."""

    spec = 'writer'

    def __init__(self, text, *, fails=None, finish_reason='stop'):
        self.text, self.fails, self.finish_reason = text, fails, finish_reason
        self.asked = []

    def chat(self, messages, options, *, on_text=None, cancelled=None):
        self.asked.append((tuple(messages), options))
        if self.fails is not None:
            raise self.fails
        return ChatReply(
            text=self.text, prompt_tokens=9, completion_tokens=3, model_s=1.0, finish_reason=self.finish_reason
        )

    def check(self, deadline_s):
        pass


def assisted(said, writes, **kwargs):
    """The answer of the rules with a model behind them that writes this text or is this Writer."""
    writer = writes if isinstance(writes, Writer) else Writer(writes)
    return ask(said, table=TABLE, by=AssistedRules(RuleBasedModel(), writer), **kwargs)


def question(request):
    return f'<cannot_do(I am not sure what you asked for. Shall I do it: “{request}”?)>'


@pytest.mark.parametrize(
    ('said', 'written', 'request_'),
    [
        (UNCLEAR, 'Give me the banana.', 'Give me the banana'),
        ('That thing for driving nails in - box 2 for it.', 'Put the hammer in box 2.', 'Put the hammer in box 2'),
        ('Shove they cubes in the second box, will ye', 'Put all the cubes in box 2.', 'Put all the cubes in box 2'),
        ('Beam the hamer up into box 1.', 'Put the hammer in box 1.', 'Put the hammer in box 1'),
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
    assisted('Beam the hammer up into box 2.', writer)
    ((messages, options),) = writer.asked
    assert messages[-1].content == (
        'Things: apple (red), banana (yellow), cup (blue), mug, hammer, red cube, blue cube, pear (green, in box 2). '
        'Places: in box 1, in box 2, in the bowl, on the tower.\nThe person says: Beam the hammer up into box 2.'
    )
    assert '"the hammer"' in options.grammar
    assert '"in box 2"' in options.grammar
    assert '"in the bowl"' not in options.grammar
    assert (options.tools, options.choices, options.json_schema, options.temperature) == ((), (), None, 0.0)


def test_a_model_that_fails_leaves_the_answer_of_the_rules(caplog):
    assert assisted(UNCLEAR, Writer('', fails=ModelTimeout('late'))) == ask(UNCLEAR, table=TABLE)
    assert 'late' in caplog.text


def test_a_check_shows_the_examples_once_and_does_not_fail_if_they_take_too_long():
    writer = Writer('Nothing.')
    AssistedRules(RuleBasedModel(), writer).check(20.0)
    ((messages, options),) = writer.asked
    assert len(messages) == 2 * len(load_examples().shown) + 2
    assert options.deadline_s <= 20.0
    AssistedRules(RuleBasedModel(), Writer('', fails=ModelTimeout('late'))).check(20.0)


def test_the_examples_that_are_shipped_are_read_by_the_rules_too():
    examples = load_examples()
    assert any(plain == 'Nothing.' for _, plain in examples.shown)
    assert any(plain == 'Something else.' for _, plain in examples.shown)
    assert 'Give me THINGS' in examples.instructions


@pytest.mark.parametrize(
    ('old', 'new', 'named'),
    [
        ('"Give me the teddy bear."', '"Bring the teddy bear!"', 'Bring the teddy bear!'),
        ('[nursery, "My kid', '[attic, "My kid', 'attic'),
        ('instructions: |', 'told: |', 'instructions'),
    ],
)
def test_wrong_examples_are_named(tmp_path: Path, old, new, named):
    text = (config_dir() / 'prompts' / 'proposals.yaml').read_text(encoding='utf-8')
    assert old in text
    file = tmp_path / 'proposals.yaml'
    file.write_text(text.replace(old, new), encoding='utf-8')
    with pytest.raises(ConfigError, match=re.escape(named)) as error:
        load_examples(file)
    assert str(file) in str(error.value)
