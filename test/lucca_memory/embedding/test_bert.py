"""BERT and MPNet with random weights against a plain calculation, and the trained MPNet against its reference."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import MARKS, WORDS, plain_states, random_weights, write_model

from lucca_core.errors import ModelUnusable
from lucca_core.trained_models import MODELS_VARIABLE, MPNET
from lucca_memory.embedding.bert import BertEmbedder
from lucca_memory.embedding.bert_encoder import BertEncoder
from lucca_memory.embedding.spec import make_embedder

WAIT_S = 10.0
MODELS = Path(os.environ.get('TRAINED_MODELS_DIR', Path(__file__).parents[3] / '.venv' / 'models'))
REFERENCE = [
    [0.042087, 0.010982, -0.016599, -0.039400],
    [0.039792, 0.043983, -0.012741, -0.001812],
    [0.028638, 0.008462, 0.002817, 0.065189],
]


def plain_vector(family, weights, ids):
    mean = np.mean(plain_states(family, weights, ids), axis=0)
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


def test_two_networks_of_one_process_compute_one_after_the_other(tmp_path, monkeypatch):
    write_model(tmp_path, 'bert', random_weights('bert'))
    first, second = (BertEmbedder(tmp_path, 'tiny') for _ in range(2))
    inside, leave, order = threading.Event(), threading.Event(), []
    run = BertEncoder._run

    def slow(self, ids, second_text):
        order.append('in')
        inside.set()
        assert leave.wait(WAIT_S)
        order.append('out')
        return run(self, ids, second_text)

    monkeypatch.setattr(BertEncoder, '_run', slow)
    threads = [threading.Thread(target=item.embed, args=(['red cup'],), daemon=True) for item in (first, second)]
    for thread in threads:
        thread.start()
    assert inside.wait(WAIT_S)
    threads[1].join(0.05)
    assert order == ['in']
    leave.set()
    for thread in threads:
        thread.join(WAIT_S)
    assert order == ['in', 'out', 'in', 'out']
