"""What must never close an older value, and what must: pairs drawn by the laboratory's generator."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_lab.evolution import told_changes
from lucca_lab.evolution.told_changes import Pair, closed, closed_fresh, kept, kept_fresh
from lucca_memory.semantic.config import SemanticConfig
from lucca_memory.semantic.consolidation.supersession import Changes, takes_the_place
from lucca_memory.semantic.language.reading import asked_readings_of, linked_readings_of, readings_of
from lucca_memory.words import WORDS_FILE

SEEDS = st.integers(0, 10**9)
SAMPLE = 360


def closes(pair: Pair) -> bool:
    new, old = (readings_of(text, 'Anna') for text in (pair.new, pair.old))
    changes = Changes(
        linked_readings_of(pair.new, 'Anna'),
        asked_readings_of(pair.new, 'Anna'),
        linked_readings_of(pair.old, 'Anna'),
    )
    return takes_the_place(new, old, lambda text: None, SemanticConfig().same_attribute, changes)


@given(SEEDS)
def test_another_thing_another_person_and_what_is_no_fact_close_nothing(seed):
    pair = kept(seed)
    assert not closes(pair), pair


def test_a_sample_of_each_design_closes_nothing():
    assert [pair for pair in map(kept, range(SAMPLE)) if closes(pair)] == []


def test_the_same_in_sentences_that_came_later_closes_nothing():
    assert [pair for pair in map(kept_fresh, range(SAMPLE)) if closes(pair)] == []


def test_most_told_changes_close_what_they_replace():
    assert sum(map(closes, map(closed, range(SAMPLE)))) > 0.85 * SAMPLE
    assert sum(map(closes, map(closed_fresh, range(SAMPLE)))) > 0.4 * SAMPLE


@pytest.mark.parametrize('name', ['PLACES', 'EVENTS', 'KINDS', 'MEASURES'])
def test_the_words_for_things_are_in_no_list_of_the_product(name):
    listed = set(re.findall(r'[a-z]+', WORDS_FILE.read_text(encoding='utf-8')))
    assert not listed.intersection(getattr(told_changes, name))
