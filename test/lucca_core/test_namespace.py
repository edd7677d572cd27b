"""Namespaces of robots and their paths."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError
from lucca_core.namespace import absolute, chosen_namespace, own_path
from lucca_core.paths import default_data_dir

PARTS = st.lists(st.from_regex(r'[a-zA-Z][a-zA-Z0-9_]{0,8}', fullmatch=True), max_size=3)


@pytest.mark.parametrize(('given_as', 'name'), [('', '/'), ('/', '/'), ('robot_1', '/robot_1'), ('/a/b/', '/a/b')])
def test_a_namespace_has_one_name(given_as, name):
    assert absolute(given_as) == name


@pytest.mark.parametrize('wrong', ['1x', 'a-b', '../x', 'a//b', 'a b', 'ä', 'a\n'])
def test_a_name_that_ros_refuses_is_refused(wrong):
    with pytest.raises(ConfigError, match='letters, digits and _'):
        absolute(wrong)


@given(PARTS, PARTS)
def test_paths_of_robots_differ_and_none_lies_inside_another(one, other):
    folder = Path('/data/lucca')
    mine, theirs = own_path(folder, '/'.join(one)), own_path(folder, '/'.join(other))
    assert (mine == theirs) is (one == other)
    assert mine == theirs or mine not in theirs.parents
    assert own_path(folder, '/') == folder


def test_the_environment_chooses_the_robot_that_commands_are_for(monkeypatch):
    monkeypatch.setenv('LUCCA_DATA_DIR', '/x/data')
    assert (chosen_namespace(), default_data_dir()) == ('/', Path('/x/data'))
    monkeypatch.setenv('LUCCA_NAMESPACE', 'robot_1')
    assert (chosen_namespace(), default_data_dir()) == ('/robot_1', Path('/x/data-robot_1'))
    assert default_data_dir('/') == Path('/x/data')
