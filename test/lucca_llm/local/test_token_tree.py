"""Answers as a tree of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_llm.local.token_tree import MOST_BRANCHES, token_tree

answers = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=MOST_BRANCHES)


@given(answers)
def test_each_path_spells_its_answer(texts):
    nodes, paths = token_tree(texts)
    assert [[nodes[number].token for number in path] for path in paths] == texts


@given(answers)
def test_a_node_follows_its_parent_one_deeper_and_is_on_its_branches(texts):
    nodes, paths = token_tree(texts)
    for number, node in enumerate(nodes):
        assert node.parent < number
        assert node.depth == (nodes[node.parent].depth + 1 if node.parent >= 0 else 0)
        assert node.branches == [branch for branch, path in enumerate(paths) if number in path]
        assert node.is_continued == any(other.parent == number for other in nodes)


@given(answers)
def test_what_answers_share_is_in_the_tree_once(texts):
    nodes, _ = token_tree(texts)
    assert len(nodes) == len({tuple(text[: end + 1]) for text in texts for end in range(len(text))})


def test_more_answers_than_branches_are_refused():
    with pytest.raises(ValueError, match=f'holds {MOST_BRANCHES} answers, got {MOST_BRANCHES + 1}'):
        token_tree([[1]] * (MOST_BRANCHES + 1))
