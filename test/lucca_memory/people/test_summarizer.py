"""Short-term memory becomes long-term in whole turns, and a failure changes nothing."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import MemoryFault, ModelRetryable
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.memory import PeopleMemory
from lucca_memory.people.person_source import source_of_scope
from lucca_memory.people.summarizer import ExtractiveSummarizer, to_summarize
from lucca_memory.people.transfer import export_person, import_person
from lucca_memory.people.values import Line, Told
from lucca_memory.retrieval.library import Library

NOW = datetime(2026, 3, 9, tzinfo=UTC)
SMALL = PeopleConfig(short_term_tokens=100, kept_tokens=40, summary_tokens=60)


class Recording:
    def __init__(self, answer='They talked.'):
        self.answer, self.seen = answer, []

    def summarize(self, person, lines):
        self.seen.append([line.text for line in lines])
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def small(store, embedder, clock):
    return PeopleMemory(store, embedder, Library(source_of_scope(store), embedder), SMALL, clock)


def _talk(memory, turns):
    anna = memory.person('Anna')
    for number in range(turns):
        memory.remember(anna, Told(conversation='c', utterance=f'u{number} ' * 8, answer=f'a{number} ' * 8, time=NOW))
    return anna


def test_nothing_is_summarised_before_it_is_full(small):
    anna = _talk(small, 4)
    assert small.condense(anna, Recording()) is None
    assert small.long_term(anna) == ()


def test_the_oldest_whole_turns_are_summarised_and_stay_searchable(small):
    anna = _talk(small, 9)
    before = small.short_term(anna)
    summarizer = Recording()
    summary = small.condense(anna, summarizer)
    taken = len(summarizer.seen[0])
    assert taken > 0
    assert taken % 2 == 0
    assert small.short_term(anna) == before[taken:]
    assert (summary.first_line, summary.last_line) == (before[0].line_id, before[taken - 1].line_id)
    assert small.long_term(anna) == (summary,)
    assert small.current(anna, 'c') == before


@pytest.mark.parametrize('answer', [ModelRetryable('no answer'), '  '])
def test_a_failed_summary_leaves_short_term_as_it_was(small, answer):
    anna = _talk(small, 9)
    before = small.short_term(anna)
    with pytest.raises((ModelRetryable, MemoryFault)):
        small.condense(anna, Recording(answer))
    assert small.short_term(anna) == before
    assert small.long_term(anna) == ()


def test_without_a_model_the_lines_that_tell_most_are_kept(small):
    anna = small.person('Anna')
    small.remember(anna, Told(conversation='c', utterance='Hello?', answer='Yes?', time=NOW))
    small.remember(anna, Told(conversation='c', utterance='My cat Tofu is ill, the vet saw Tofu.', time=NOW))
    small.remember(anna, Told(conversation='c', utterance='Tofu hates the vet.', answer='Poor cat.', time=NOW))
    text = ExtractiveSummarizer(most_tokens=16).summarize(anna, small.short_term(anna))
    assert text.startswith('2026-03-09, in extracts:')
    assert 'Anna: My cat Tofu is ill, the vet saw Tofu.' in text
    assert 'Hello' not in text


@given(st.lists(st.tuples(st.integers(0, 300), st.booleans()), max_size=30))
def test_what_is_taken_ends_with_a_turn_and_begins_with_the_first(sizes):
    lines = [
        Line(line_id=n, person_id=1, conversation='c', speaker='A', text='x' * size, time=NOW, answers=answers)
        for n, (size, answers) in enumerate(sizes, 1)
    ]
    taken = to_summarize(lines, SMALL)
    assert taken == tuple(lines[: len(taken)])
    assert len(taken) == len(lines) or not taken or not lines[len(taken)].answers


def test_an_exported_person_comes_back_as_a_new_one(small, store):
    anna = _talk(small, 9)
    small.condense(anna, Recording())
    text = export_person(store, anna)
    with pytest.raises(MemoryFault, match='known already'):
        import_person(store, text)
    texts = [line.text for line in store.lines(anna.person_id)]
    left = len(small.short_term(anna))
    store.erase(anna.person_id)
    again = import_person(store, text)
    assert [line.text for line in store.lines(again.person_id)] == texts
    assert [item.text for item in store.summaries(again.person_id)] == ['They talked.']
    assert len(store.short_term(again.person_id)) == left


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'exported'),
        ('{}', 'exported'),
        ('[]', 'exported'),
        ('{"lucca_person": 99}', 'format 99 is from another version'),
        ('{"lucca_person": 1, "name": "A"}', 'exported'),
    ],
)
def test_what_is_no_export_is_refused(store, text, reason):
    with pytest.raises(MemoryFault, match=reason):
        import_person(store, text)
    assert store.people() == ()
