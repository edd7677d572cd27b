"""Groups of texts as a pair scorer is trained on them."""

import gzip
import json
import sys

import numpy as np
import pytest

pytest.importorskip('tokenizers', reason='training needs tokenizers')

from lucca_lab.training.pair_data import NO_TEXT, Planner, read_groups, tokenized

WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', *'abcdefgh']


@pytest.fixture
def groups(tmp_path):
    """Twenty groups of 2 to 9 texts of 1 to 8 words; every third has none that is."""
    random = np.random.default_rng(0)
    lines = []
    for number in range(20):
        size = int(random.integers(2, 10))
        right = [' '.join(random.choice(list('abcdefgh'), random.integers(1, 9))) for _ in range(size)]
        own_is = [0] * size
        if number % 3:
            own_is[int(random.integers(size))] = 1
        lines.append({'left': 'abcdefgh'[number % 8], 'right': right, 'is': own_is, 'weight': 0.5, 'source': 'x'})
    file = tmp_path / 'groups.jsonl.gz'
    file.write_bytes(gzip.compress('\n'.join(map(json.dumps, lines)).encode()))
    (tmp_path / 'vocab.txt').write_text('\n'.join(WORDS))
    texts = {}
    found = read_groups([file], texts)
    return found, tokenized(list(texts), tmp_path / 'vocab.txt'), texts


def planner(groups, form='cross', candidates=sys.maxsize, chunk_cost=2):
    return Planner(groups[0], groups[1], form, 10, 3, 100, candidates, chunk_cost)


def test_a_pass_has_every_pair_once(groups):
    for steps in (list(planner(groups).steps(np.random.default_rng(1))), list(planner(groups).in_order())):
        assert len(steps) > 3
        pairs = np.concatenate([step.pairs for step in steps])
        np.testing.assert_array_equal(np.sort(pairs), np.arange(len(groups[0].right)))
        for step in steps:
            np.testing.assert_array_equal(step.right_is, groups[0].right_is[step.pairs])
            np.testing.assert_array_equal(step.second, groups[0].right[step.pairs])
            items = np.concatenate([chunk.items for chunk in step.chunks])
            np.testing.assert_array_equal(np.sort(items), np.arange(len(step.first)))


def test_of_large_groups_those_that_are_stay(groups):
    steps = list(planner(groups, candidates=3).steps(np.random.default_rng(1)))
    assert sum(step.right_is.sum() for step in steps) == groups[0].right_is.sum()
    assert max(np.bincount(step.group).max() for step in steps) == 3


def test_padding_is_no_shorter_than_the_longest(groups):
    chosen = planner(groups)
    for step in chosen.in_order():
        lengths = chosen.lengths(step.first, step.second)
        assert step.tokens == lengths.sum()
        for chunk in step.chunks:
            assert lengths[chunk.items].max() <= chunk.length < lengths[chunk.items].max() + 8


def test_chunks_are_as_many_as_they_are_worth(groups):
    lengths = np.array([5, 30, 6, 7, 31, 20])
    found = {(tuple(sorted(chunk.items)), chunk.length) for chunk in planner(groups).chunked(lengths)}
    assert found == {((0, 2, 3), 8), ((5,), 24), ((1, 4), 32)}
    # To pad the one of 24 costs 8, another chunk 9; the first three are 24 short each.
    found = {(tuple(sorted(chunk.items)), chunk.length) for chunk in planner(groups, chunk_cost=9).chunked(lengths)}
    assert found == {((0, 2, 3), 8), ((1, 4, 5), 32)}
    assert len(planner(groups, chunk_cost=1000).chunked(lengths)) == 1


def test_one_text_alone_is_read_once_a_step(groups):
    for step in planner(groups, 'bi').in_order():
        assert (step.second == NO_TEXT).all()
        assert len(set(step.first.tolist())) == len(step.first)
        np.testing.assert_array_equal(step.first[step.right_item], groups[0].right[step.pairs])
        np.testing.assert_array_equal(step.first[step.left_item], groups[0].left[groups[0].group_of_pair[step.pairs]])


def test_texts_are_the_tokens_of_their_words(groups):
    _, table, texts = groups
    for text, number in texts.items():
        start = table.starts[number]
        found = table.tokens[start : start + table.lengths[number]]
        assert [WORDS[token] for token in found] == text.split()


def test_some_groups_are_whole(groups):
    some = groups[0].some(30, seed=1)
    assert 20 < len(some.right) <= 30
    assert some.first[-1] == len(some.right)
    assert groups[0].some(1000, seed=1) is groups[0]


@pytest.mark.parametrize('group', [{'right': [], 'is': []}, {'right': ['a'], 'is': []}, {'right': ['a'], 'is': [2]}])
def test_a_group_without_its_answers_is_refused(tmp_path, group):
    (tmp_path / 'x.jsonl').write_text(json.dumps({'left': 'a', **group}))
    with pytest.raises(ValueError, match=r'x\.jsonl:1: each text'):
        read_groups([tmp_path / 'x.jsonl'], {})
