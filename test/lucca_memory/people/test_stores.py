"""What every store of people has to do, whatever database is behind it."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lucca_core.errors import MemoryFault, NameTakenError
from lucca_memory.people.rows import LONGEST_NAME, storable_name
from lucca_memory.people.values import Feedback, NewLine, Revision
from lucca_memory.retrieval.times import from_microseconds, microseconds

NOW = datetime(2026, 3, 2, 9, 30, 1, 250, tzinfo=UTC)
NASTY = [
    '../../etc/passwd',
    'x' * 10_000,
    '🙂🙃',
    "Robert'); DROP TABLE person;--",
    'two\nlines',
    '%s %d {0} ${HOME} `id`',
    'nul\0inside',
    '\ud800 alone',
]


def _line(text, *, conversation='c', speaker='Anna', minutes=0, answers=False):
    return NewLine(
        conversation=conversation, speaker=speaker, text=text, time=NOW + timedelta(minutes=minutes), answers=answers
    )


def test_what_was_appended_is_read_back_word_for_word(store):
    anna = store.create('Anna', NOW)
    stored = store.append(anna.person_id, [_line('I live in Bonn.'), _line('Nice!', speaker='robot', answers=True)])
    assert store.lines(anna.person_id) == stored
    assert [line.text for line in stored] == ['I live in Bonn.', 'Nice!']
    assert [line.answers for line in stored] == [False, True]
    assert stored[0].time == NOW
    assert store.last_lines(anna.person_id, 1) == stored[1:]
    assert store.lines(anna.person_id, after=stored[0].line_id) == stored[1:]
    assert store.lines(anna.person_id, limit=1) == stored[:1]
    assert store.lines_by_id(anna.person_id, [line.line_id for line in stored]) == {
        line.line_id: line for line in stored
    }
    assert store.count_lines(anna.person_id) == 2


def test_nobody_has_the_lines_of_another(store):
    anna, bo = store.create('Anna', NOW), store.create('Bo', NOW)
    (said,) = store.append(anna.person_id, [_line('secret')])
    assert store.lines(bo.person_id) == ()
    assert store.lines_by_id(bo.person_id, [said.line_id]) == {}
    assert store.forget(bo.person_id, [said.line_id], 'test', NOW) == 0
    store.put_vectors(bo.person_id, 's', {said.line_id: np.ones(2, np.float32)})
    assert store.vectors(bo.person_id, 's') == {}
    assert store.lines(anna.person_id) == (said,)


@pytest.mark.parametrize('name', NASTY, ids=lambda name: ascii(name)[:20])
def test_a_name_is_data(store, name):
    person = store.create(name, NOW)
    assert person.name == storable_name(name)
    assert store.find(name) == person
    assert store.people() == (person,)
    store.append(person.person_id, [_line(name, conversation=name, speaker=name)])
    assert store.lines(person.person_id)[0].speaker == name.replace('\0', '�').replace('\ud800', '�')
    store.erase(person.person_id)
    assert store.people() == ()


def test_another_spelling_is_the_same_name_and_is_not_taken_over(store):
    anna = store.create('Anna  Lena', NOW)
    assert store.find(' anna lena') == anna
    with pytest.raises(NameTakenError, match='is known already'):
        store.create('ANNA LENA', NOW)
    with pytest.raises(MemoryFault, match='needs a name'):
        store.create(' \n', NOW)


def test_the_longest_name_is_cut_and_still_found(store):
    person = store.create('y' * (LONGEST_NAME + 5), NOW)
    assert len(person.name) == LONGEST_NAME
    assert store.find('y' * (LONGEST_NAME + 5)) == person


def test_a_person_who_is_not_known_is_an_error(store):
    with pytest.raises(MemoryFault, match='no person 77'):
        store.append(77, [_line('x')])
    with pytest.raises(MemoryFault, match='no person 77'):
        store.revision(77)


def test_the_revision_tells_what_changed(store):
    anna = store.create('Anna', NOW)
    assert store.revision(anna.person_id) == Revision(0, 0)
    one, two = store.append(anna.person_id, [_line('one'), _line('two')])
    assert store.revision(anna.person_id) == Revision(two.line_id, 0)
    store.forget(anna.person_id, [one.line_id], 'test', NOW)
    assert store.revision(anna.person_id) == Revision(two.line_id, 1)


def test_vectors_are_kept_for_each_spec(store):
    anna = store.create('Anna', NOW)
    one, two = store.append(anna.person_id, [_line('one'), _line('two')])
    vector = np.array([0.6, 0.8], np.float32)
    store.put_vectors(anna.person_id, 'a', {one.line_id: vector})
    assert store.without_vector(anna.person_id, 'a', 10) == (two,)
    assert store.without_vector(anna.person_id, 'b', 10) == (two, one)
    np.testing.assert_allclose(store.vectors(anna.person_id, 'a')[one.line_id], vector, atol=1e-3)
    assert store.vectors(anna.person_id, 'a', after=one.line_id) == {}
    store.put_vectors(anna.person_id, 'b', {one.line_id: vector})
    store.drop_vectors(keep_spec='b')
    assert store.vectors(anna.person_id, 'a') == {}
    assert list(store.vectors(anna.person_id, 'b')) == [one.line_id]


def test_a_summary_takes_its_lines_out_of_short_term_and_out_of_nothing_else(store):
    anna = store.create('Anna', NOW)
    one, two, three = store.append(anna.person_id, [_line('one'), _line('two'), _line('three')])
    summary = store.add_summary(anna.person_id, 'one and two', one.line_id, two.line_id, NOW)
    assert store.short_term(anna.person_id) == (three,)
    assert store.lines(anna.person_id) == (one, two, three)
    assert store.summaries(anna.person_id) == (summary,)


def test_a_summary_that_came_too_late_is_refused(store):
    anna = store.create('Anna', NOW)
    one, two = store.append(anna.person_id, [_line('one'), _line('two')])
    store.add_summary(anna.person_id, 'first', one.line_id, one.line_id, NOW)
    with pytest.raises(MemoryFault, match='out of date'):
        store.add_summary(anna.person_id, 'again', one.line_id, two.line_id, NOW)
    assert [item.text for item in store.summaries(anna.person_id)] == ['first']
    assert store.short_term(anna.person_id) == (two,)


def test_what_was_forgotten_can_be_restored_to_its_place(store):
    anna = store.create('Anna', NOW)
    lines = store.append(anna.person_id, [_line('one'), _line('two'), _line('three')])
    assert store.forget(anna.person_id, [lines[1].line_id], 'too old', NOW) == 1
    assert store.lines(anna.person_id) == (lines[0], lines[2])
    (away,) = store.forgotten(anna.person_id)
    assert (away.line, away.reason, away.time) == (lines[1], 'too old', NOW)
    assert store.restore(anna.person_id, [lines[1].line_id]) == 1
    assert store.lines(anna.person_id) == lines
    assert store.forgotten(anna.person_id) == ()


def test_erasing_leaves_nothing_of_a_person_and_all_of_the_others(store):
    anna, bo = store.create('Anna', NOW), store.create('Bo', NOW)
    for person in (anna, bo):
        one, two = store.append(person.person_id, [_line('one'), _line('two')])
        store.put_vectors(person.person_id, 's', {one.line_id: np.ones(2, np.float32)})
        store.add_summary(person.person_id, 'sum', one.line_id, one.line_id, NOW)
        store.forget(person.person_id, [two.line_id], 'test', NOW)
        store.add_feedback(_verdict(person.person_id))
    store.erase(anna.person_id)
    assert store.people() == (bo,)
    assert store.find('Anna') is None
    for read in (store.lines, store.summaries, store.forgotten, store.feedback):
        assert read(anna.person_id) == ()
        assert len(read(bo.person_id)) == 1
    assert store.vectors(anna.person_id, 's') == {}


def test_a_number_is_never_given_twice(store):
    first = store.create('Anna', NOW)
    store.erase(first.person_id)
    assert store.create('Anna', NOW).person_id > first.person_id


def test_verdicts_are_kept_in_order(store):
    anna = store.create('Anna', NOW)
    for verdict in ('good', 'bad'):
        store.add_feedback(_verdict(anna.person_id, verdict))
    assert [item.verdict for item in store.feedback()] == ['good', 'bad']
    assert store.feedback(anna.person_id)[0].recalled == ('said:1', 'fact:gym.md:3')


def _verdict(person_id, verdict='good'):
    return Feedback(
        person_id=person_id, verdict=verdict, question='q', answer='a', recalled=('said:1', 'fact:gym.md:3'), time=NOW
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(text=st.text(max_size=50), conversation=st.text(max_size=20))
def test_any_text_comes_back_as_it_was(store, text, conversation):
    person = store.find('Any') or store.create('Any', NOW)
    (line,) = store.append(person.person_id, [_line(text, conversation=conversation)])
    assert store.lines_by_id(person.person_id, [line.line_id])[line.line_id] == line
    assert line.text == text.replace('\0', '�')


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_are_exact(time):
    assert from_microseconds(microseconds(time)) == time
