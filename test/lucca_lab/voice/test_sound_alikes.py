"""Words that are no stop words and sound like them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.stop_command import STOP_WORDS
from lucca_lab.voice.sound_alikes import _CLASS, chain, dictionary, distance, holds_stop

pytest.importorskip('pocketsphinx', reason='its dictionary is asked')
PHONES = st.lists(st.sampled_from(sorted(_CLASS)), max_size=6)


@given(PHONES, PHONES, PHONES)
def test_how_unlike_two_words_are_is_a_distance(one, other, third):
    assert distance(one, one) == 0
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, other) == distance(other, one)
    assert distance(one, third) <= distance(one, other) + distance(other, third)


def test_a_neighbour_is_nearer_than_a_stranger():
    words = dictionary()
    assert distance(words['talk'], words['stop']) < distance(words['banana'], words['stop'])
    assert distance(words['please'], words['freeze']) < distance(words['tower'], words['freeze'])


@pytest.mark.parametrize('said', ['stop', 'stops', 'his top', 'bus topics', 'hall to', 'free zone'])
def test_a_stop_word_is_found_within_a_word_and_across_words(said):
    phones = [phone for word in said.split() for phone in dictionary().get(word, ())]
    assert holds_stop(phones)


@pytest.mark.parametrize('said', ['let us talk', 'please call', 'top', 'shop', 'fleet', 'hold'])
def test_what_sounds_alike_holds_none(said):
    assert not holds_stop([phone for word in said.split() for phone in dictionary()[word]])


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_no_stop_word_is_in_a_chain(seed):
    words = chain(random.Random(seed)).replace(',', '').split()
    assert 5 <= len(words) <= 8
    assert not set(words) & set(STOP_WORDS)
    assert not holds_stop([phone for word in words for phone in dictionary().get(word, ())])


def test_the_same_seed_says_the_same():
    assert chain(random.Random(1)) == chain(random.Random(1)) != chain(random.Random(2))
