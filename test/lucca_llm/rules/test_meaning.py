"""How much speaks for each kind, or for each group of examples."""

import pytest
from tiny_bert import WIDTH, random_weights, write_model

from lucca_core.trained_models import MODELS_VARIABLE, MPNET
from lucca_llm.rules import meaning
from lucca_llm.rules.meaning import Kind, among_examples, among_kinds, has_meanings, is_word, together
from lucca_llm.rules.meaning_weights import WEIGHTS

pytestmark = pytest.mark.skipif(not has_meanings(), reason='all-MiniLM-L6-v2 is not installed')


@pytest.fixture
def tiny_mpnet(tmp_path, monkeypatch):
    """An MPNet of random weights where the trained one would be."""
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    for file in MPNET.files:
        (tmp_path / file.place).parent.mkdir(exist_ok=True)
        (tmp_path / file.place).touch()
    write_model(MPNET.path, 'mpnet', random_weights('mpnet'))
    caches = [meaning._network, meaning._embedder, meaning._household_vectors, meaning._vector, meaning._profile]
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_mpnet_judges_with_its_own_weights_where_it_is_installed(tiny_mpnet):
    meaning.prepare(['red cup'], ['cups'])
    assert meaning.weights() is WEIGHTS['mpnet']
    assert meaning._embedder().dimensions == WIDTH
    assert sum(item.share for item in among_kinds('red cup', [Kind('cups'), Kind('red')])) == pytest.approx(1)


def test_minilm_judges_where_mpnet_is_not_installed():
    assert meaning.weights() is WEIGHTS['minilm']


def test_shares_sum_to_one_and_the_nearest_kind_leads() -> None:
    found = among_kinds('cardamom pods', [Kind('spices'), Kind('power tools'), Kind('bedding')])
    assert sum(item.share for item in found) == pytest.approx(1)
    assert max(range(3), key=lambda number: found[number].share) == 0
    assert found[0].likeness > found[1].likeness


def test_a_word_that_tells_kinds_apart_counts() -> None:
    clean, dirty = among_kinds('dirty apron', [Kind('clean linen'), Kind('dirty linen')])
    assert dirty.share > clean.share


def test_the_rest_loses_what_is_of_a_kind_that_was_named() -> None:
    named, rest = among_kinds('gouda', [Kind('cheese'), Kind('food', is_rest=True)])
    alone, other = among_kinds('gouda', [Kind('stationery'), Kind('food', is_rest=True)])
    assert named.share > rest.share
    assert other.share > alone.share


def test_a_place_that_draws_everything_is_worth_less_to_each() -> None:
    (first, second), (third, fourth) = together([[0.9, 0.1], [0.55, 0.45]])
    assert first > 0.5 > second
    assert third < 0.55
    assert fourth > 0.45
    assert first + second == pytest.approx(third + fourth) == pytest.approx(1)


def test_examples_draw_what_is_like_them() -> None:
    tools, fruit = among_examples('chainsaw', [['power drill', 'lathe'], ['lychee', 'papaya']])
    assert tools.share > 0.9 > fruit.share


def test_the_order_of_the_groups_does_not_matter() -> None:
    groups = [['power drill'], ['lychee', 'papaya'], ['doormat']]
    there = among_examples('mango', groups)
    back = among_examples('mango', groups[::-1])
    assert [item.share for item in there] == pytest.approx([item.share for item in back[::-1]])


def test_words_and_no_words() -> None:
    assert is_word('spices')
    assert is_word('homework')
    assert not is_word('zorps')


def test_examples_draw_what_is_of_the_same_household_kind() -> None:
    spices, snacks = among_examples('garlic powder', [['paprika', 'cumin'], ['pretzels', 'granola bar']])
    assert spices.share > 0.6 > snacks.share
