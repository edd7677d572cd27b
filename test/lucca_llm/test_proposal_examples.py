"""The examples of proposals: what is shipped is read, and what is wrong is named."""

import re

import pytest

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_llm.model import ChatOptions, Message
from lucca_llm.proposal_examples import NOTHING, SOMETHING_ELSE, load_examples
from lucca_llm.rules.rule_based_model import RuleBasedModel

FILE = config_dir() / 'prompts' / 'proposals.yaml'
TEDDY = '"Give me the teddy bear."'


def test_the_examples_that_are_shipped_are_shown_with_their_scenes_once():
    examples = load_examples()
    answers = [plain for _, plain in examples.shown]
    scenes = [said for said, _ in examples.shown if said.startswith('Things: ')]
    assert {NOTHING, SOMETHING_ELSE} < set(answers)
    assert len(scenes) == 4
    assert all(said.partition('The person says: ')[2] for said, _ in examples.shown)
    first, *others = examples.messages
    assert (first.role, first.content) == ('system', examples.instructions)
    assert [message.role for message in others] == ['user', 'assistant'] * len(examples.shown)


def test_the_examples_are_no_prompts_of_a_conversation():
    """The rules answer each alone, and none of them begins anything."""
    for said, _ in load_examples().shown:
        assert '<do(' not in RuleBasedModel().chat([Message('user', said)], ChatOptions()).text


@pytest.mark.parametrize(
    ('old', 'new', 'named'),
    [
        (TEDDY, '"Bring the teddy bear!"', 'Bring the teddy bear!'),
        (TEDDY, '"Give me the giraffe."', 'Give me the giraffe.'),
        (TEDDY, '"Put the teddy bear in the sea."', 'in the sea'),
        (TEDDY, '""', 'example'),
        ('[nursery, "My kid', '[attic, "My kid', "'attic'; there are kitchen"),
        ('[nursery, "My kid', '["My kid', 'example'),
        ('instructions: |', 'told: |', 'instructions'),
        ('places: [in box 1, in box 3, in the bowl, on the shelf]', 'places: in box 1', 'places of scene workshop'),
        ('things: [screwdriver,', 'thinks: [screwdriver,', 'scene workshop needs things and places'),
    ],
)
def test_wrong_examples_are_named(tmp_path, old, new, named):
    text = FILE.read_text(encoding='utf-8')
    assert old in text
    file = tmp_path / 'proposals.yaml'
    file.write_text(text.replace(old, new), encoding='utf-8')
    with pytest.raises(ConfigError, match=re.escape(named)) as error:
        load_examples(file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize('text', ['', 'examples: []', 'instructions:\nscenes: {}\nexamples: 3'])
def test_a_file_without_its_parts_is_refused(tmp_path, text):
    file = tmp_path / 'proposals.yaml'
    file.write_text(text, encoding='utf-8')
    with pytest.raises(ConfigError):
        load_examples(file)
