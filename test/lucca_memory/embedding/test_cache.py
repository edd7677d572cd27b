"""What comes again is not embedded again, and nothing else is different."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.embedding.cache import RememberingEmbedder
from lucca_memory.embedding.embedder import NoEmbedder


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(['a b', 'c d', 'e f', 'g h', 'i j']), max_size=5), max_size=8))
def test_vectors_are_those_of_the_embedder_in_order(batches: list[list[str]]) -> None:
    plain, remembering = HashedEmbedder(), RememberingEmbedder(HashedEmbedder(), most=2)
    assert (remembering.spec, remembering.dimensions) == (plain.spec, plain.dimensions)
    for texts in batches:
        assert np.array_equal(remembering.embed(texts), plain.embed(texts))


def test_what_comes_again_soon_is_not_asked_for_again_and_what_is_old_is() -> None:
    counting = HashedEmbedder()
    remembering = RememberingEmbedder(counting, most=2)
    remembering.embed(['a', 'b', 'a'])
    remembering.embed(['b', 'a'])
    assert counting.asked == ['a', 'b']
    remembering.embed(['c'])
    remembering.embed(['a', 'b'])
    assert counting.asked == ['a', 'b', 'c', 'b']


def test_without_meanings_there_are_none() -> None:
    assert RememberingEmbedder(NoEmbedder()).embed(['a', 'b']).shape == (2, 0)


def test_what_was_cleared_is_asked_for_again() -> None:
    counting = HashedEmbedder()
    remembering = RememberingEmbedder(counting)
    remembering.embed(['a'])
    remembering.clear()
    remembering.embed(['a'])
    assert counting.asked == ['a', 'a']


def test_a_kept_vector_does_not_keep_the_batch_it_came_with() -> None:
    remembering = RememberingEmbedder(HashedEmbedder(), most=1)
    remembering.embed([f'text {number}' for number in range(100)])
    (kept,) = remembering._known.values()
    assert kept.base is None
