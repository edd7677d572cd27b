"""How much speaks for each kind, or for each group of examples."""

import hashlib
import json
import logging
import shutil

import numpy as np
import pytest
from tiny_adapter import random_adapter, sum_of, write_adapter
from tiny_bert import WIDTH, random_weights, write_model
from tiny_membership import random_membership, write_membership

from lucca_core.trained_models import MODELS_VARIABLE, MPNET
from lucca_llm.rules.kinds import kind_scores, meaning
from lucca_llm.rules.kinds.kind_scores import kinds_adapter, members_form
from lucca_llm.rules.kinds.meaning import Kind, among_examples, among_kinds, has_meanings, is_word, read_with
from lucca_llm.rules.kinds.meaning_weights import WEIGHTS, WEIGHTS_WITH_MEMBERS, WEIGHTS_WITH_SCORES
from lucca_memory.embedding.membership import Membership
from lucca_memory.embedding.pair_adapter import read_pair_adapter

ADAPTER = kinds_adapter('minilm')
FORM = members_form('minilm')

pytestmark = pytest.mark.skipif(not has_meanings(), reason='all-MiniLM-L6-v2 is not installed')


@pytest.fixture
def tiny_mpnet(tmp_path, monkeypatch):
    """An MPNet of random weights where the trained one would be."""
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    for file in MPNET.files:
        (tmp_path / file.place).parent.mkdir(exist_ok=True)
        (tmp_path / file.place).touch()
    write_model(MPNET.path, 'mpnet', random_weights('mpnet'))
    caches = [
        meaning._network,
        meaning._embedder,
        meaning._scorer,
        meaning._members,
        meaning._household_vectors,
        meaning._vector,
        meaning._profile,
    ]
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def adapters(tmp_path, monkeypatch):
    """A folder for adapters of our own, in place of those that come with lucca."""
    monkeypatch.setenv('LUCCA_CONFIG_DIR', str(tmp_path))
    (tmp_path / 'adapters').mkdir()
    for cache in (meaning._scorer, meaning._members, kind_scores.member_lists):
        cache.cache_clear()
    yield tmp_path / 'adapters'
    for cache in (meaning._scorer, meaning._members, kind_scores.member_lists):
        cache.cache_clear()


def test_mpnet_judges_with_its_own_weights_where_it_is_installed(tiny_mpnet, adapters):
    base = {'base_sha256': sum_of(MPNET.path)}
    write_adapter(adapters / 'kinds-mpnet.npz', *random_adapter(base))
    write_membership(adapters / 'members-mpnet.npz', *random_membership(2 * WIDTH, base))
    meaning.prepare(['red cup'], ['cups'])
    assert meaning.weights() is WEIGHTS_WITH_MEMBERS['mpnet']
    assert meaning._embedder().dimensions == WIDTH
    assert meaning.kind_features('red cup', [Kind('cups'), Kind('red')]).shape == (2, 14)
    assert sum(item.share for item in among_kinds('red cup', [Kind('cups'), Kind('red')])) == pytest.approx(1)
    assert meaning.example_features('red cup', [['cup'], ['red']])[0].shape == (2, 9)
    assert sum(item.share for item in among_examples('red cup', [['cup'], ['red']])) == pytest.approx(1)


def test_an_adapter_for_other_weights_is_not_used(tiny_mpnet, caplog):
    with caplog.at_level(logging.WARNING):
        assert meaning.weights() is WEIGHTS['mpnet']
    assert 'the adapter is for other weights' in caplog.text


def test_minilm_judges_where_mpnet_is_not_installed():
    assert meaning.weights() is WEIGHTS_WITH_MEMBERS['minilm']


@pytest.mark.parametrize(
    ('damage', 'reason'),
    [
        ('missing', 'holds no form'),
        ('cut off', 'holds no form'),
        ('an adapter', 'holds no form'),
        ('for other weights', 'the adapter is for other weights'),
        ('for other vectors', 'takes vectors of 10 dimensions'),
    ],
)
def test_without_a_usable_form_the_adapter_judges_and_a_warning_says_why(damage, reason, adapters, caplog):
    shutil.copy(ADAPTER, adapters)
    file = adapters / FORM.name
    if damage == 'cut off':
        file.write_bytes(FORM.read_bytes()[:100_000])
    elif damage == 'an adapter':
        shutil.copy(ADAPTER, file)
    elif damage != 'missing':
        base = '0' * 64 if damage == 'for other weights' else Membership(FORM).base_sha256
        write_membership(file, *random_membership(10, {'base_sha256': base}))
    with caplog.at_level(logging.WARNING):
        assert meaning.weights() is WEIGHTS_WITH_SCORES['minilm']
    assert 'kinds are judged without the scores of membership' in caplog.text
    assert reason in caplog.text
    features = meaning.kind_features('gouda', [Kind('cheese'), Kind('tools')])
    assert features.shape == (2, 13)
    assert meaning.close_features(features).shape == (2, 5)
    cheese, tools = among_kinds('gouda', [Kind('cheese'), Kind('tools')])
    assert cheese.share > 0.9 > tools.share


@pytest.mark.parametrize('damage', ['missing', 'cut off', 'not an archive', 'for other weights'])
def test_without_a_usable_adapter_the_plain_weights_judge_and_a_warning_says_why(damage, adapters, caplog):
    file = adapters / 'kinds-minilm.npz'
    shipped = ADAPTER
    if damage == 'cut off':
        file.write_bytes(shipped.read_bytes()[:100_000])
    elif damage == 'not an archive':
        file.write_text('no adapter')
    elif damage == 'for other weights':
        with np.load(shipped) as data:
            numbers = {name: data[name] for name in data.files if name != 'about'}
            about = json.loads(data['about'].tobytes()) | {'base_sha256': '0' * 64}
        write_adapter(file, numbers, about)
    with caplog.at_level(logging.WARNING):
        assert meaning.weights() is WEIGHTS['minilm']
    assert 'kinds are judged without the scores of an adapter' in caplog.text
    features = meaning.kind_features('gouda', [Kind('cheese'), Kind('tools')])
    assert features.shape == (2, 12)
    assert meaning.close_features(features).shape == (2, 4)
    cheese, tools = among_kinds('gouda', [Kind('cheese'), Kind('tools')])
    assert cheese.share > 0.9 > tools.share
    assert meaning.example_features('gouda', [['cheddar'], ['hammer']])[0].shape == (2, 8)
    like_cheddar, like_hammer = among_examples('gouda', [['cheddar'], ['hammer']])
    assert like_cheddar.share > 0.9 > like_hammer.share


def test_what_comes_with_lucca_says_where_it_is_from() -> None:
    for spec in WEIGHTS_WITH_SCORES:
        file = kinds_adapter(spec)
        told = json.loads(file.with_suffix('.json').read_text(encoding='utf-8'))
        assert told['sha256'] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert told['model_sha256'] == read_pair_adapter(file).base_sha256
        assert 'Open Database License' in told['notice']
        form = members_form(spec)
        told = json.loads(form.with_suffix('.json').read_text(encoding='utf-8'))
        assert told['sha256'] == hashlib.sha256(form.read_bytes()).hexdigest()
        assert told['model_sha256'] == Membership(form).base_sha256


@pytest.mark.parametrize(
    ('name', 'kind', 'other'),
    [
        ('oat milk', 'dairy alternatives', 'sauces'),
        ('paprika', 'spices', 'vegetables in cans'),
        ('flip flops', 'shoes', 'jackets'),
        ('duct tape', 'hardware', 'drinks'),
    ],
)
def test_the_adapter_knows_well_known_things(name, kind, other) -> None:
    scorer = meaning._scorer()
    right, wrong = scorer.scores([(meaning._scored_name(name), said) for said in (kind, other)])
    assert right > wrong + 2
    # From the cache.
    assert scorer.scores([(meaning._scored_name(name), kind)])[0] == right


@pytest.mark.parametrize(
    ('name', 'kind', 'other'),
    [
        ('sneakers', 'footwear', 'toys'),
        ('jigsaw puzzle', 'toys and games', 'bags'),
        ('canned peaches', 'pantry food', 'things for the freezer'),
        ('muffin tin', 'bakeware', 'canned goods'),
    ],
)
def test_membership_knows_kinds_that_the_adapter_never_saw(name, kind, other) -> None:
    right, wrong = meaning.kind_features(name, [Kind(kind), Kind(other)])[:, -1]
    assert right > wrong + 1


def test_the_lists_correct_scores_of_what_they_name() -> None:
    scores = np.array([-1.0, 4.0, 0.5, 7.0])
    kinds = ['Salad greens', 'hand tools', 'zorbs', 'leafy greens']
    listed = [kind_scores.LISTED, kind_scores.LISTED_ELSEWHERE, 0.5, 7.0]
    np.testing.assert_array_equal(kind_scores.with_lists('Arugula', kinds, scores), listed)
    np.testing.assert_array_equal(kind_scores.with_lists('zorb', kinds, scores), scores)


def test_a_thing_is_of_the_kind_of_its_own_name() -> None:
    assert kind_scores.is_listed('pasta', 'Pasta')
    assert kind_scores.with_lists('pasta', ['pasta'], np.array([-1.0])) == kind_scores.LISTED
    assert not kind_scores.is_listed('zorb', 'zorbs')


@pytest.mark.parametrize('name', ['dinner forks', 'strawberry'])
def test_a_thing_is_listed_in_the_singular_or_plural(name) -> None:
    kind = 'forks and spoons' if 'fork' in name else 'berries'
    assert kind_scores.with_lists(name, [kind], np.array([-9.0]))[0] == kind_scores.LISTED


def test_without_the_lists_the_form_judges_and_a_warning_says_why(adapters, caplog) -> None:
    shutil.copy(ADAPTER, adapters)
    shutil.copy(FORM, adapters)
    (adapters / 'members-lists.npz').write_bytes(b'PK')
    with caplog.at_level(logging.WARNING):
        right, wrong = meaning.kind_features('sneakers', [Kind('footwear'), Kind('toys')])[:, -1]
    assert right > wrong
    assert 'without the lists of their members' in caplog.text
    assert 'members-lists.npz holds no lists' in caplog.text


def test_the_lists_say_where_they_are_from() -> None:
    file = FORM.with_name('members-lists.npz')
    told = json.loads(file.with_suffix('.json').read_text(encoding='utf-8'))
    assert told['sha256'] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_what_is_of_a_kind_is_near_to_it_whatever_its_words_are_like() -> None:
    peel = among_kinds('orange peel', [Kind('food waste'), Kind('plastic bags')])
    assert [item.likeness >= meaning._LIKENESS_OF_MEMBERS for item in peel] == [True, False]


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


def test_examples_draw_what_is_like_them() -> None:
    tools, fruit = among_examples('chainsaw', [['power drill', 'lathe'], ['lychee', 'papaya']])
    assert tools.share > 0.9 > fruit.share


def test_examples_are_read_a_few_at_a_time() -> None:
    assert read_with(['cup', 'mug']) == ['like: cup, mug']
    assert read_with(['cup', 'mug', 'jug', 'glass']) == ['like: cup, mug, jug', 'like: glass']


@pytest.mark.parametrize(
    ('name', 'groups'),
    [
        ('brie', [['gouda', 'cheddar'], ['hammer', 'pliers']]),
        ('windbreaker', [['socks', 'tights', 'leggings', 'stockings'], ['raincoat', 'parka']]),
        ('pumpernickel', [['canned tuna', 'canned corn'], ['rye bread', 'bagels']]),
    ],
)
def test_the_adapter_reads_a_thing_with_examples(name, groups) -> None:
    features, _ = meaning.example_features(name, groups)
    right = 0 if name == 'brie' else 1
    assert features[right, -1] > features[1 - right, -1] + 1


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
