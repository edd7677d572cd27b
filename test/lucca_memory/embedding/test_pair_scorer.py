"""Scores of pairs with a random network and a random adapter against a plain calculation, and refusals."""

import json

import numpy as np
import pytest
from tiny_adapter import LONGEST, RANK, SCALE, random_adapter, sum_of, write_adapter
from tiny_bert import (
    ATTENTION,
    LAYERS,
    MARKS,
    POSITIONS,
    WIDTH,
    WORDS,
    plain_states,
    random_weights,
    write_model,
)

from lucca_core.errors import ModelUnusable
from lucca_memory.embedding.pair_scorer import PairScorer

PAIRS = [
    ('red cups', 'a cup'),
    ('red', 'a cup on a cup'),
    ('', 'red'),
    ('cup', ''),
    ('on red', 'cup a'),
    ('a cup ' * 9, 'red'),
    ('red', 'a cup ' * 9),
    ('a red ' * 9, 'cup on ' * 9),
]
FAMILIES = pytest.mark.parametrize('family', ['bert', 'mpnet'])


@pytest.fixture
def model(tmp_path):
    """A folder with MPNet, its adapter, and what the adapter says of itself."""
    write_model(tmp_path, 'mpnet', random_weights('mpnet'))
    return tmp_path, *random_adapter({'base_sha256': sum_of(tmp_path)})


def changed(family, weights, numbers):
    """The weights with the adapter in them."""
    query, key, value, mix = ATTENTION[family]
    names = {'query': query, 'key': key, 'value': value, 'mix': mix}
    names |= {'widen': 'intermediate.dense', 'narrow': 'output.dense'}
    merged = dict(weights)
    for number in range(LAYERS):
        for part, name in names.items():
            up, down = (numbers[f'layer.{number}.{part}.{which}'].astype(float) for which in ('up', 'down'))
            place = f'encoder.layer.{number}.{name}.weight'
            merged[place] = weights[place] + SCALE * up @ down
    return merged


def plain_ids(family, left, right):
    vocabulary = {word: number for number, word in enumerate(MARKS[family] + WORDS)}
    begin, end = ('[CLS]', '[SEP]') if family == 'bert' else ('<s>', '</s>')
    first, second = (text.replace('cups', 'cup ##s').split() for text in (left, right))
    marks = 3 if family == 'bert' else 4
    half = (LONGEST - marks) // 2
    if len(first) + len(second) + marks > LONGEST:
        if len(second) < half:
            first = first[: LONGEST - marks - len(second)]
        elif len(first) < half:
            second = second[: LONGEST - marks - len(first)]
        else:
            first, second = first[:half], second[: LONGEST - marks - half]
    head = [begin, *first, *[end] * (marks - 2)]
    return [vocabulary[word] for word in [*head, *second, end]], len(head)


@FAMILIES
@pytest.mark.parametrize('pool', ['mean', 'first'])
def test_a_score_is_what_it_is_defined_to_be(family, pool, tmp_path):
    weights = random_weights(family)
    write_model(tmp_path, family, weights)
    numbers, about = random_adapter({'pool': pool, 'base_sha256': sum_of(tmp_path)})
    scorer = PairScorer(tmp_path, write_adapter(tmp_path / 'a.npz', numbers, about))
    merged = changed(family, weights, numbers)
    head = numbers['head.weight'].astype(float)
    scores = scorer.scores(PAIRS)
    assert scores.dtype == np.float32
    for (left, right), score in zip(PAIRS, scores, strict=True):
        states = np.array(plain_states(family, merged, *plain_ids(family, left, right)))
        pooled = states.mean(axis=0) if pool == 'mean' else states[0]
        assert score == pytest.approx(pooled @ head + 0.25, abs=1e-4)
    assert len(set(np.round(scores, 3))) > 4


@FAMILIES
def test_torch_gives_the_scores_with_which_it_was_trained(family, tmp_path, monkeypatch):
    torch = pytest.importorskip('torch', reason='compared with torch')
    pytest.importorskip('tokenizers', reason='compared with torch')
    from lucca_lab.training import train_scorer

    write_model(tmp_path, family, random_weights(family))
    groups = [{'left': left, 'right': [right], 'is': [1]} for left, right in PAIRS]
    data = tmp_path / 'data.jsonl'
    data.write_text('\n'.join(map(json.dumps, groups)))
    numbers, about = random_adapter({'base_sha256': sum_of(tmp_path)})
    asked = f'--base {tmp_path} --data {data} --dev {data} --out {tmp_path} --seconds 1 --device cpu --rank {RANK}'
    options = train_scorer.read_options(f'{asked} --alpha {SCALE * RANK} --longest {LONGEST}'.split())
    training = train_scorer.Training(options)
    with torch.no_grad():
        for name, weights in training.network.learned.items():
            weights.copy_(torch.tensor(numbers[name.replace('/', '.')]))
    scorer = PairScorer(tmp_path, write_adapter(tmp_path / 'a.npz', numbers, about))
    np.testing.assert_allclose(scorer.scores(PAIRS), training.scored(), atol=1e-4)
    # What it writes is read.
    training.measure([])
    np.testing.assert_allclose(
        PairScorer(tmp_path, tmp_path / 'adapter.npz').scores(PAIRS), training.scored(), atol=0.1
    )


def test_no_pairs_have_no_scores(model):
    folder, numbers, about = model
    assert PairScorer(folder, write_adapter(folder / 'a.npz', numbers, about)).scores([]).shape == (0,)


def test_an_adapter_for_other_weights_is_refused(model):
    folder, numbers, about = model
    file = write_adapter(folder / 'a.npz', numbers, {**about, 'base_sha256': '0' * 64})
    with pytest.raises(ModelUnusable, match='the adapter is for other weights'):
        PairScorer(folder, file)


@pytest.mark.parametrize(
    'about',
    [
        {'format': 'lucca pair scorer 9'},
        {'form': 'bi'},
        {'pool': 'last'},
        {'longest': 'long'},
        {'scale': None},
        {'scale': 1e300},
    ],
)
def test_an_adapter_of_another_form_is_refused(model, about):
    folder, numbers, known = model
    with pytest.raises(ModelUnusable, match='holds no adapter of a pair scorer'):
        PairScorer(folder, write_adapter(folder / 'a.npz', numbers, known | about))


@pytest.mark.parametrize('longest', [3, POSITIONS])
def test_a_length_that_the_model_cannot_have_is_refused(model, longest):
    folder, numbers, about = model
    with pytest.raises(ModelUnusable, match='does not fit the model'):
        PairScorer(folder, write_adapter(folder / 'a.npz', numbers, about | {'longest': longest}))


@pytest.mark.parametrize(
    ('name', 'values'),
    [
        ('layer.1.mix.up', np.zeros((WIDTH, RANK + 1))),
        ('layer.1.mix.down', np.zeros((RANK, WIDTH + 1))),
        ('layer.7.mix.down', np.zeros((RANK, WIDTH))),
        ('head.weight', np.zeros(WIDTH + 1)),
    ],
)
def test_matrices_that_do_not_fit_are_refused(model, name, values):
    folder, numbers, about = model
    with pytest.raises(ModelUnusable, match='does not fit the model'):
        PairScorer(folder, write_adapter(folder / 'a.npz', numbers | {name: values.astype(np.float16)}, about))


@pytest.mark.parametrize('values', [np.array([np.nan]), np.array([1e9]), np.array(['x']), np.zeros((1, 1))])
def test_numbers_that_are_none_are_refused(model, values):
    folder, numbers, about = model
    with pytest.raises(ModelUnusable, match='holds no adapter of a pair scorer'):
        PairScorer(folder, write_adapter(folder / 'a.npz', numbers | {'head.bias': values}, about))


@pytest.mark.parametrize('cut', [0, 5, -30, -600])
def test_a_damaged_adapter_is_refused_by_name(model, cut):
    folder, numbers, about = model
    file = write_adapter(folder / 'a.npz', numbers, about)
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(ModelUnusable, match=r'a\.npz holds no adapter'):
        PairScorer(folder, file)


def test_a_missing_adapter_or_part_is_refused(model):
    folder, numbers, about = model
    with pytest.raises(ModelUnusable, match=r'b\.npz holds no adapter'):
        PairScorer(folder, folder / 'b.npz')
    del numbers['head.weight']
    with pytest.raises(ModelUnusable, match=r'a\.npz holds no adapter'):
        PairScorer(folder, write_adapter(folder / 'a.npz', numbers, about))
