"""What is kept of texts that were read is bounded: a robot that runs for weeks needs no more memory for it."""

import gc
from collections import Counter

import pytest

from lucca_memory.semantic.language.extraction import make_extractor, mentions_of
from lucca_memory.semantic.language.lexicon import MOST_READ
from lucca_memory.semantic.language.reading import read, readings_by_sentence


@pytest.mark.parametrize('cached', [mentions_of, readings_by_sentence, read])
def test_a_reading_is_kept_for_some_texts_only(cached):
    assert cached.cache_parameters()['maxsize'] == MOST_READ <= 5_000


def test_keywords_leave_nothing_of_a_text_behind():
    pytest.importorskip('yake')
    extractor = make_extractor('yake')

    def sets_left(name: str) -> int:
        for number in range(20):
            extractor.extract([f'The {name}{number} key hangs behind the {name}{number} clock.'])
        gc.collect()
        return Counter(type(item).__name__ for item in gc.get_objects())['frozenset']

    first = sets_left('a')
    assert sets_left('b') <= first + 5
