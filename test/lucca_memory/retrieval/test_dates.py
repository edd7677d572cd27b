"""Dates in questions, counted from a Wednesday."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_memory.retrieval.dates import TimeSpan, spans_asked_for, spans_in

NOW = datetime(2026, 3, 11, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ('text', 'first', 'days'),
    [
        ('What happened on 2025-12-24?', date(2025, 12, 24), 1),
        ('on 7 May 2023', date(2023, 5, 7), 1),
        ('on the 3rd of February', date(2026, 2, 3), 1),
        ('on March 12', date(2025, 3, 12), 1),
        ('May 7th, 2023', date(2023, 5, 7), 1),
        ('in June 2023', date(2023, 6, 1), 30),
        ('in March', date(2026, 3, 1), 31),
        ('in December', date(2025, 12, 1), 31),
        ('in early January', date(2026, 1, 1), 10),
        ('in mid-February 2025', date(2025, 2, 11), 10),
        ('in the middle of December', date(2025, 12, 11), 10),
        ('at the end of May', date(2025, 5, 21), 11),
        ('in late February 2024', date(2024, 2, 21), 9),
        ('in the second half of April', date(2025, 4, 16), 15),
        ('what I planned for October', date(2025, 10, 1), 31),
        ('in 2024', date(2024, 1, 1), 366),
        ('last Friday', date(2026, 3, 6), 1),
        ('on Wednesday', date(2026, 3, 4), 1),
        ('yesterday', date(2026, 3, 10), 1),
        ('today', date(2026, 3, 11), 1),
        ('last week', date(2026, 3, 2), 7),
        ('this week', date(2026, 3, 9), 7),
        ('last weekend', date(2026, 3, 7), 2),
        ('last month', date(2026, 2, 1), 28),
        ('last year', date(2025, 1, 1), 365),
        ('last night', date(2026, 3, 10), 1),
        ('three days ago', date(2026, 3, 8), 1),
        ('2 weeks ago', date(2026, 2, 22), 7),
    ],
)
def test_a_date_is_a_stretch_of_time(text, first, days):
    (span,) = spans_in(text, NOW)
    assert (span.begin.date(), span.end - span.begin) == (first, timedelta(days=days))


@pytest.mark.parametrize(
    'text',
    [
        'May I ask?',
        'We march.',
        'on 31 June 2023',
        'the last apple',
        '',
        'in 3024 pieces',
        'on 0 May',
        'too late',
        'mid 9999',
    ],
)
def test_what_is_no_date_gives_none(text):
    assert spans_in(text, NOW) == ()


def test_both_ends_of_a_span():
    span = TimeSpan(NOW, NOW + timedelta(days=1))
    assert NOW in span
    assert NOW + timedelta(days=1) not in span


@given(st.text(max_size=60), st.datetimes(min_value=datetime(1900, 1, 1), timezones=st.just(UTC)))
def test_no_text_and_no_time_breaks_it(text, now):
    for span in spans_in(f'{text} last week 3 days ago in May 99999 years ago', now):
        assert span.begin < span.end


@pytest.mark.parametrize(
    ('message', 'days'),
    [
        ('I quarrelled with Max today. Now I am sad.', []),
        ('We lost this morning, and I cried.', []),
        ('I fell today. What did we plan for today?', [date(2026, 3, 11)]),
        ('I fell today, as I did on 3 March.', [date(2026, 3, 3)]),
        ('I am back. We talked about the boat yesterday.', [date(2026, 3, 10)]),
        ('What did I do today?', [date(2026, 3, 11)]),
        ('Tell me what I bought today.', [date(2026, 3, 11)]),
        ('gym hours today', [date(2026, 3, 11)]),
    ],
)
def test_what_is_told_of_today_asks_for_nothing_of_today(message, days):
    assert [span.begin.date() for span in spans_asked_for(message, NOW)] == days


@given(st.lists(st.sampled_from(['I fell today.', 'Who fell today?', 'I left on 3 March.', 'in May', '\n', '...'])))
def test_nothing_is_asked_for_that_is_not_in_the_message(parts):
    message = ' '.join(parts)
    assert set(spans_asked_for(message, NOW)) <= set(spans_in(message, NOW))
