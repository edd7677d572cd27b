"""YAML files: lines of mistakes and bounds."""

import contextlib
import os

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lucca_core import yaml_file
from lucca_core.errors import ConfigError
from lucca_core.yaml_file import LARGEST_BYTES, MOST_VALUES, LocatedMapping, load_yaml, parse_yaml

scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text()
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=10
)


def plainly(function, *args):
    """Calls a function as where PyYAML has no libyaml."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml_file, '_FastLoader', yaml_file._Loader)
        return function(*args)


TOKENS = (
    *(
        'a: ',
        'b:\n',
        '\n',
        '  ',
        '- ',
        '[',
        ']',
        '{',
        '}',
        ', ',
        '? ',
        ': ',
        '1',
        "'x'",
        '"y"',
        '|\n',
        '>-\n',
        '#',
        ' # c',
    ),
    *(
        '&k ',
        '*k',
        '<<: ',
        '!',
        '!!str ',
        '!!int ',
        '%TAG ! x',
        '---\n',
        '...\n',
        '\t',
        '\ufeff',
        '\ud800',
        '\x85',
        '|#',
        '~',
    ),
)


def test_every_mapping_knows_its_lines():
    document = parse_yaml('a: 1\nb:\n  c: 2\n  d: [{e: 3}]\n', 'f.yaml')
    assert (document.line, document.line_of('b')) == (1, 2)
    assert (document['b'].line, document['b'].line_of('d'), document['b'].line_of('missing')) == (3, 4, 3)
    assert isinstance(document['b']['d'][0], LocatedMapping)


@given(st.dictionaries(st.text(), documents, max_size=4))
def test_any_document_that_yaml_writes_is_read_back(document):
    assert parse_yaml(yaml.safe_dump(document), 'f') == document


@given(st.dictionaries(st.text(), documents, max_size=4))
def test_both_parsers_give_the_same_lines(document):
    text = yaml.safe_dump(document, allow_unicode=True)
    fast, plain = parse_yaml(text, 'f'), plainly(parse_yaml, text, 'f')
    assert fast == plain
    assert (fast.line, fast.key_lines) == (plain.line, plain.key_lines)


@given(st.lists(st.sampled_from(TOKENS), max_size=8).map(''.join))
def test_both_parsers_read_the_same_or_refuse(text):
    def read(function, *args):
        try:
            return function(*args)
        except ConfigError as error:
            return str(error)

    assert read(parse_yaml, text, 'f') == read(plainly, parse_yaml, text, 'f')


@given(st.text())
def test_no_text_raises_anything_but_a_config_error(text):
    with contextlib.suppress(ConfigError):
        assert isinstance(parse_yaml(text, 'f.yaml'), LocatedMapping)


@pytest.mark.parametrize(
    ('text', 'match'),
    [
        ('a: 1\nb: 2\na: 3\n', r"^f\.yaml:3: 'a' is given twice$"),
        ('a:\n  1: x\n', r'^f\.yaml:2: keys must be text, got 1$'),
        ('a: [1,\nb: 2\n', r'^f\.yaml:\d+: is not YAML'),
        ('- 1\n', r'^f\.yaml:1: must hold a mapping, holds a list$'),
        ('just text', r'^f\.yaml:1: must hold a mapping, holds a text$'),
        ('a: 1\nb: 2001-99-99', r'^f\.yaml:2: is an invalid value: month must be in'),
        ('a: !!timestamp x', r'^f\.yaml:1: is an invalid value'),
        ('a: ' + '9' * 5000, r'^f\.yaml:1: is an invalid value'),
        ('a:\n ' + '[' * 5000, r'^f\.yaml:2: is nested more than 40 levels deep'),
        ('a: &a [1, *a]', r'^f\.yaml:1: \*a is inside the value that it repeats'),
        ('a: 0x' + 'f' * 5000, r'^f\.yaml:1: whole numbers must be from -2\^63 to 2\^63, got one of 20000 bits'),
        ('a: "\\ud800.urdf"', r"^f\.yaml:1: '\\ud800\.urdf' has half of a surrogate pair"),
        ('a: !!int ""', r'^f\.yaml:1: is an invalid value'),
        ('a: 1\nb: !!bool x', r'^f\.yaml:2: is an invalid value'),
        ('a: !!python/object/apply:os.system [ls]', r'^f\.yaml:1: is not YAML'),
    ],
)
def test_mistakes_are_named_with_file_line_and_reason(text, match):
    with pytest.raises(ConfigError, match=match):
        parse_yaml(text, 'f.yaml')


@pytest.mark.parametrize('repeat', ['[{}]', '{{<<: [{}]}}'])
def test_nested_anchors_cannot_expand_to_millions_of_values(repeat):
    text = 'a0: &a0 {x: 1}\n' + ''.join(
        f'a{n}: &a{n} {repeat.format(", ".join([f"*a{n - 1}"] * 9))}\n' for n in range(1, 9)
    )
    with pytest.raises(ConfigError, match=rf'^f\.yaml:\d: holds more than {MOST_VALUES} values'):
        parse_yaml(text, 'f.yaml')


def test_aliases_may_be_used():
    assert parse_yaml('a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: *a', 'f') == {
        'a': {'x': 1},
        'b': {'x': 1, 'y': 2},
        'c': {'x': 1},
    }


def test_a_huge_file_and_a_folder_or_pipe_are_refused_unread(tmp_path):
    (tmp_path / 'huge.yaml').write_text(f'a: {"x" * LARGEST_BYTES}')
    with pytest.raises(ConfigError, match=rf'huge\.yaml: is larger than {LARGEST_BYTES} bytes'):
        load_yaml(tmp_path / 'huge.yaml')
    os.mkfifo(tmp_path / 'pipe.yaml')
    for name in ('pipe.yaml', '.'):
        with pytest.raises(ConfigError, match=r'cannot be read: .* should be a regular file'):
            load_yaml(tmp_path / name)
    with pytest.raises(ConfigError, match='cannot be read'):
        load_yaml(tmp_path / 'a\0b.yaml')


def test_a_very_long_reason_is_shortened_in_its_middle():
    error = ConfigError(f'begin {"x" * 100_000} end', file='f.yaml')
    assert len(str(error)) < 1300
    assert str(error).startswith('f.yaml: begin')
    assert str(error).endswith('end')


def test_an_empty_file_is_an_empty_mapping(tmp_path):
    file = tmp_path / 'f.yaml'
    file.write_text('# nothing\n')
    document = load_yaml(file)
    assert document == {}
    assert document.line_of('x') == 0


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r'missing\.yaml: cannot be read'):
        load_yaml(tmp_path / 'missing.yaml')
    (tmp_path / 'latin.yaml').write_bytes('a: ü'.encode('latin-1'))
    with pytest.raises(ConfigError, match=r'latin\.yaml: cannot be read'):
        load_yaml(tmp_path / 'latin.yaml')
