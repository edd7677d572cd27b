"""How much a text tells for its size, and what a budget keeps by it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.semantic.config import ForgettingConfig
from lucca_memory.semantic.forgetting.telling import telling
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import Statement

FACT, TALK = 'Mira moved to Kiel on Monday.', 'Oh yes, and so it was as it had been before with all of them there.'


@given(st.text())
def test_it_lies_between_0_and_1(text):
    assert 0 <= telling(text) < 1


@pytest.mark.parametrize('less', [TALK, 'Did somebody move to somewhere?', ''])
def test_a_fact_tells_more_than_talk_a_question_or_nothing(less):
    assert telling(FACT) > telling(less)


def test_with_the_setting_a_budget_keeps_what_tells():
    start = datetime(2026, 1, 5, tzinfo=UTC)
    memory = ConceptMemory(config=ForgettingConfig(telling=4))
    for day, text in enumerate((FACT, TALK)):
        memory.hear([Statement(text=text, speaker='Ana', time=start + timedelta(days=day), source=f'said:{day}')])
    memory.forget(start + timedelta(days=2), len(TALK))
    assert list(memory.texts()) == [FACT]


def test_what_people_ask_for_goes_before_what_tells():
    start = datetime(2026, 1, 5, tzinfo=UTC)
    talk = 'The harbour gala is as it has been before with all of them there.'
    kept = {}
    for asked in (False, True):
        memory = ConceptMemory(config=ForgettingConfig(telling=4))
        for day, text in enumerate((talk, FACT)):
            memory.hear([Statement(text=text, speaker='Ana', time=start + timedelta(days=day), source=f'said:{day}')])
        for _ in range(5 * asked):
            memory.context('How is the harbour gala?', start + timedelta(days=2))
        memory.forget(start + timedelta(days=2), len(talk))
        kept[asked] = list(memory.texts())
    assert kept == {False: [FACT], True: [talk]}
