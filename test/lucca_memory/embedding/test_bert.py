"""BERT and MPNet with random weights against a plain calculation, and the trained MPNet against its reference."""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import ATTENTION, EPSILON, HEADS, LAYERS, MARKS, NORM, WIDTH, WORDS, random_weights, write_model

from lucca_core.errors import ModelUnusable
from lucca_core.trained_models import MODELS_VARIABLE, MPNET
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.spec import make_embedder

MODELS = Path(os.environ.get('TRAINED_MODELS_DIR', Path(__file__).parents[3] / '.venv' / 'models'))
REFERENCE = [
    [0.042087, 0.010982, -0.016599, -0.039400],
    [0.039792, 0.043983, -0.012741, -0.001812],
    [0.028638, 0.008462, 0.002817, 0.065189],
]


def plain_vector(family, weights, ids):
    """The vector of a text, number by number as the papers and MPNet's published code define it."""

    def linear(name, state):
        return weights[f'{name}.weight'].astype(float) @ state + weights[f'{name}.bias']

    def normed(name, state):
        spread = math.sqrt(state.var() + EPSILON)
        return (state - state.mean()) / spread * weights[f'{name}.weight'] + weights[f'{name}.bias']

    def nearness(there, here, head):
        if family == 'bert':
            return 0.0
        behind, distance = there > here, abs(there - here)
        far = 8 + int(math.log(max(distance, 1) / 8) / math.log(128 / 8) * 8)
        bucket = (16 if behind else 0) + (distance if distance < 8 else min(far, 15))
        return weights['encoder.relative_attention_bias.weight'][bucket, head]

    first = 2 if family == 'mpnet' else 0
    states = [
        weights['embeddings.word_embeddings.weight'][token].astype(float)
        + weights['embeddings.position_embeddings.weight'][place + first]
        + (weights['embeddings.token_type_embeddings.weight'][0] if family == 'bert' else 0)
        for place, token in enumerate(ids)
    ]
    states = [normed('embeddings.LayerNorm', state) for state in states]
    for number in range(LAYERS):
        root = f'encoder.layer.{number}.'
        query, key, value, mix = (root + name for name in ATTENTION[family])
        width = WIDTH // HEADS
        after = []
        for here, state in enumerate(states):
            seen = []
            for head in range(HEADS):
                part = slice(head * width, (head + 1) * width)
                scores = np.array(
                    [
                        linear(query, state)[part] @ linear(key, other)[part] / math.sqrt(width)
                        + nearness(there, here, head)
                        for there, other in enumerate(states)
                    ]
                )
                shares = np.exp(scores) / np.exp(scores).sum()
                seen.append(
                    sum(share * linear(value, other)[part] for share, other in zip(shares, states, strict=True))
                )
            after.append(normed(root + NORM[family], state + linear(mix, np.concatenate(seen))))
        inner = [linear(root + 'intermediate.dense', state) for state in after]
        inner = [np.array([x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in row]) for row in inner]
        narrow = [linear(root + 'output.dense', row) for row in inner]
        states = [normed(root + 'output.LayerNorm', state + row) for state, row in zip(after, narrow, strict=True)]
    mean = np.mean(states, axis=0)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize('family', ['bert', 'mpnet'])
def test_the_network_computes_what_it_is_defined_to(family, tmp_path):
    weights = random_weights(family)
    write_model(tmp_path, family, weights)
    embedder = BertEmbedder(tmp_path, 'x')
    vocabulary = {word: number for number, word in enumerate(MARKS[family] + WORDS)}
    begin, end = ('[CLS]', '[SEP]') if family == 'bert' else ('<s>', '</s>')
    texts = ['red cups on a cup', 'cup', '', 'a red zorb', 'a cup red on ' * 35]
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        words = text.replace('cups', 'cup ##s').replace('zorb', '[UNK]').split()
        ids = [vocabulary[word] for word in [begin, *words, end]]
        np.testing.assert_allclose(vector, plain_vector(family, weights, ids), atol=1e-5)


def test_numbers_at_any_place_in_the_file_are_read(tmp_path):
    vectors = []
    for name, pad in (('even', 0), ('odd', 3)):
        (tmp_path / name).mkdir()
        write_model(tmp_path / name, 'mpnet', random_weights('mpnet'), pad)
        vectors.append(BertEmbedder(tmp_path / name, name).embed(['red cup']))
    np.testing.assert_array_equal(*vectors)


def test_a_network_of_another_family_is_refused(tmp_path):
    write_model(tmp_path, 'mpnet', random_weights('mpnet'))
    (tmp_path / 'config.json').write_text('{"model_type": "t5", "hidden_act": "gelu"}')
    with pytest.raises(ModelUnusable, match='holds a t5 model; only BERT and MPNet'):
        BertEmbedder(tmp_path, 'x')


@pytest.mark.parametrize('cut', [0, 4, 100, -5])
def test_weights_that_are_cut_off_are_refused(cut, tmp_path):
    write_model(tmp_path, 'mpnet', random_weights('mpnet'))
    file = tmp_path / 'model.safetensors'
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(ModelUnusable, match='no BERT sentence encoder'):
        BertEmbedder(tmp_path, 'x')


def test_mpnet_that_is_not_installed_is_named_with_its_command(tmp_path, monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    with pytest.raises(ModelUnusable, match='lucca models get mpnet'):
        make_embedder('mpnet')


@pytest.fixture
def mpnet(monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    if not MPNET.is_there:
        pytest.skip('all-mpnet-base-v2 is not installed')
    return make_embedder('mpnet')


def test_mpnet_gives_the_vectors_of_its_reference(mpnet):
    # The first four numbers by transformers 4.57.6 and torch 2.13.0.
    texts = ['banana', 'Garlic powder: a ground spice', 'long ' * 300 + 'end of it all']
    vectors = mpnet.embed(texts)
    assert vectors.shape == (3, 768)
    np.testing.assert_allclose(vectors[:, :4], REFERENCE, atol=1e-4)
