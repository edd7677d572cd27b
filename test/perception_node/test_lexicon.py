"""The prototypes file is read, and its mistakes are named."""

import pytest

from lucca_core.errors import ConfigError
from perception_node.lexicon import load_lexicon

GOOD = """
colours:
  red: {hue: [340, 14], saturation: [0.3, 1], value: [0.1, 1]}
objects:
  apple:
    phrases: [an apple]
    colours: [red]
    height_m: [0.05, 0.07]
    length_m: [0.05, 0.07]
    width_m: [0.05, 0.07]
containers:
  box 1:
    phrases: [a box]
    kind: open
    colours: [red]
    height_m: [0.05, 0.1]
    length_m: [0.2, 0.3]
    width_m: [0.1, 0.3]
"""


@pytest.fixture
def lexicon_of(tmp_path):
    def load(text):
        file = tmp_path / 'mine.yaml'
        file.write_text(text, encoding='utf-8')
        return load_lexicon(file)

    return load


def test_the_shipped_file_knows_the_objects_of_all_five_tasks():
    lexicon = load_lexicon()
    assert set(lexicon.labels) == {
        'apple', 'banana', 'baseball', 'bowl', 'can', 'cube', 'cup', 'jello', 'lemon', 'orange', 'pear',
    }  # fmt: skip
    assert {item.name for item in lexicon.containers} == {'box 1', 'box 2', 'bowl', 'tower'}


def test_every_label_says_what_a_detector_of_words_would_be_asked_for():
    lexicon = load_lexicon()
    for item in (*lexicon.objects, *lexicon.containers):
        assert item.phrases, item


def test_a_cube_is_called_by_its_colour_and_a_pear_is_not():
    lexicon = load_lexicon()
    assert lexicon.base_name('cube', 'red') == 'red cube'
    assert lexicon.base_name('cube', '') == 'cube'
    assert lexicon.base_name('pear', 'green') == 'pear'
    assert lexicon.base_name('unheard of', 'green') == 'unheard of'


def test_a_good_file_is_read(lexicon_of):
    lexicon = lexicon_of(GOOD)
    assert lexicon.object_of('apple').ranges['height_m'] == (0.05, 0.07)
    assert lexicon.object_of('pear') is None
    assert lexicon.container_of('box 1').kind == 'open'
    assert lexicon.container_of('box 9') is None


@pytest.mark.parametrize(
    ('old', 'new', 'reason'),
    [
        (
            'colours: [red]\n    height_m: [0.05, 0.07]',
            'colours: [mauve]\n    height_m: [0.05, 0.07]',
            "'mauve' is not a colour",
        ),
        ('height_m: [0.05, 0.07]', 'height_m: [0.07, 0.05]', 'two increasing numbers'),
        ('height_m: [0.05, 0.07]', 'height_m: [.nan, 0.07]', 'two increasing numbers'),
        ('height_m: [0.05, 0.07]', 'height_m: [0.05, .inf]', 'two increasing numbers'),
        ('    height_m: [0.05, 0.07]\n', '', 'height_m must be two increasing numbers, got None'),
        ('phrases: [an apple]', 'phrases: []', 'phrases must be a list of words'),
        ('kind: open', 'kind: lid', "kind must be one of open, pad, got 'lid'"),
        ('phrases: [an apple]', 'phrases: [an apple]\n    smell: sweet', "unknown key 'smell'"),
        ('value: [0.1, 1]', 'value: [0.1, 1], shade_of: blue', "shade of 'blue'"),
        ('objects:', 'things:', "unknown key 'things'"),
        ('height_m: [0.05, 0.07]', 'height_m: [50, 70]', r'height_m must be from 0 to 2 m, got \[50, 70\]'),
        ('height_m: [0.05, 0.07]', 'height_m: [-0.05, 0.07]', 'height_m must be from 0 to 2 m'),
        ('phrases: [an apple]', 'phrases: [an apple]\n    fill: [70, 86]', 'fill must be from 0 to 1, got'),
        ('value: [0.1, 1]', 'value: [10, 100]', 'value must be from 0 to 1, got'),
        ('hue: [340, 14]', 'hue: [340, 720]', 'hue must be from 0 to 360 degrees'),
        ('phrases: [an apple]', 'phrases: [an apple]\n    holds: sure', "holds must be true or false, got 'sure'"),
        ('  apple:', '  "apple ":', 'a name is printable text without spaces around it'),
        ('  apple:', '  "":', 'a name is printable text'),
    ],
)
def test_a_mistake_is_refused_with_its_reason(old, new, reason, lexicon_of):
    assert old in GOOD
    with pytest.raises(ConfigError, match=reason):
        lexicon_of(GOOD.replace(old, new, 1))


def test_a_mistake_is_named_by_file_and_line(lexicon_of):
    with pytest.raises(ConfigError, match=r'mine\.yaml:8: height_m'):
        lexicon_of(GOOD.replace('height_m: [0.05, 0.07]', 'height_m: tall', 1))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r'nowhere\.yaml'):
        load_lexicon(tmp_path / 'nowhere.yaml')
