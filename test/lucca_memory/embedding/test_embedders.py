"""Embedders: the built-in one against published figures, and the spec strings."""

import numpy as np
import pytest

from lucca_core.errors import ConfigError, ModelUnusable
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.embedding.spec import AUTO, SentenceTransformersEmbedder, make_embedder, minilm_folder
from lucca_memory.embedding.wordpiece import WordPiece

VOCABULARY = {
    word: number
    for number, word in enumerate(
        ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'play', '##ing', '##s', 'the', ',', '!', '中', 'cafe']
    )
}


@pytest.fixture(scope='module')
def minilm():
    if minilm_folder() is None:
        pytest.skip('all-MiniLM-L6-v2 is not installed')
    return make_embedder('minilm')


def test_minilm_gives_the_similarities_that_its_makers_publish(minilm):
    # https://sbert.net, quickstart: all-MiniLM-L6-v2 on these three sentences.
    vectors = minilm.embed(['The weather is lovely today.', "It's so sunny outside!", 'He drove to the stadium.'])
    published = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, published, atol=1e-4)


def test_a_text_has_the_same_vector_in_any_company(minilm):
    texts = ['a', 'The weather is lovely today.', '', '🙂', 'x' * 5000, 'word ' * 1000, 'nul\0 \ud800']
    together = minilm.embed(texts)
    assert together.shape == (len(texts), 384)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(minilm.embed([text])[0], vector, atol=1e-5)
    assert minilm.embed([]).shape == (0, 384)


@pytest.mark.parametrize(
    ('text', 'pieces'),
    [
        ('Playing', ['play', '##ing']),
        ('the plays!', ['the', 'play', '##s', '!']),
        ('Café,中', ['cafe', ',', '中']),
        ('unknown', ['[UNK]']),
        ('p' * 101, ['[UNK]']),
        ('', []),
    ],
)
def test_words_are_cut_into_the_longest_pieces(text, pieces):
    expected = [VOCABULARY[piece] for piece in ['[CLS]', *pieces, '[SEP]']]
    assert WordPiece(VOCABULARY, 256).ids(text) == expected


def test_what_is_too_long_is_cut_at_its_end():
    assert len(WordPiece(VOCABULARY, 8).ids('the ' * 100)) == 8
    with pytest.raises(ValueError, match='lacks'):
        WordPiece({'a': 0}, 8)


def test_specs_choose(monkeypatch, tmp_path, caplog):
    assert make_embedder('none').dimensions == 0
    assert make_embedder('ollama:m', lambda spec: HashedEmbedder(spec=spec)).spec == 'ollama:m'
    for spec in ('', 'minilmx', 'ollama:', 'ollama:m', 'word2vec:x'):
        with pytest.raises(ConfigError, match='the forms are'):
            make_embedder(spec)
    with pytest.raises(ModelUnusable, match='no BERT'):
        make_embedder(f'minilm:{tmp_path}')
    monkeypatch.setattr('lucca_memory.embedding.spec.minilm_folder', lambda: None)
    assert isinstance(make_embedder(AUTO), NoEmbedder)
    assert 'memory is searched by words only' in caplog.text
    with pytest.raises(ModelUnusable, match='pip install'):
        make_embedder('minilm')


def test_a_library_that_is_not_there_is_named():
    try:
        import sentence_transformers  # noqa: F401
    except ImportError:
        with pytest.raises(ModelUnusable, match='pip install sentence-transformers'):
            SentenceTransformersEmbedder('x')
    else:
        with pytest.raises(ModelUnusable, match='has no model'):
            SentenceTransformersEmbedder('/no/such/model')
