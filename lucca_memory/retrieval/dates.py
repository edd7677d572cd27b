"""Parsing dates in a question as time spans: "last Friday", "on 7 May", "two weeks ago", "in June 2023".

Dates are relative to the time of the question, in its time zone. A date without a year is the latest one that is not in
the future.
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from lucca_memory.retrieval.messages import asks, sentences_in, telling_share

MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}
WEEKDAYS = {
    name.lower(): number for names in (calendar.day_name, calendar.day_abbr) for number, name in enumerate(names)
}
NUMBERS = {
    word: number
    for number, word in enumerate(['a', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'], 1)
}
NUMBERS |= {'one': 1, 'an': 1, 'a couple of': 2, 'couple of': 2}

_MONTH = '|'.join(sorted(MONTHS, key=len, reverse=True))
_DAY = '|'.join(sorted(WEEKDAYS, key=len, reverse=True))
_COUNT = '|'.join(sorted(NUMBERS, key=len, reverse=True))
_ISO = re.compile(r'\b(\d{4})-(\d{2})-(\d{2})\b')
_DAY_MONTH = re.compile(rf'\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,?(?: (\d{{4}}))?', re.IGNORECASE)
_MONTH_DAY = re.compile(rf'\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? (\d{{4}}))?', re.IGNORECASE)
_MONTH_YEAR = re.compile(rf'\b({_MONTH})\.?,? (?:of )?(\d{{4}})\b', re.IGNORECASE)
# "may" and "march" are also other words, so a month alone counts only after a preposition.
_IN_MONTH = re.compile(rf'\b(?:in|since|during|last|for|by|until) ({_MONTH})\b(?! \d)', re.IGNORECASE)
_PART_OF_MONTH = re.compile(
    rf'\b(early|mid|late|(?:beginning|start|middle|end|(?:first|second) half) of)[ -]({_MONTH})\b'
    r'(?:,? (\d{4})\b|(?! \d))',
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r'\b(?:in|during|since) ((?:19|20)\d{2})\b', re.IGNORECASE)
_LAST_DAY = re.compile(rf'\b(?:last|on|this|past) ({_DAY})\b', re.IGNORECASE)
_AGO = re.compile(rf'\b(\d+|{_COUNT}) (day|week|month|year)s? ago\b', re.IGNORECASE)
_UNIT = re.compile(r'\b(last|this|past) (week|weekend|month|year|night)\b', re.IGNORECASE)
_WORD = re.compile(r'\b(the day before yesterday|today|tonight|yesterday|this morning)\b', re.IGNORECASE)
_TODAY = re.compile(r'\b(?:today|tonight|this morning)\b', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From `begin` up to but excluding `end`, both in the time zone of the question."""

    begin: datetime
    end: datetime

    def __contains__(self, moment: datetime) -> bool:
        return self.begin <= moment < self.end


def spans_asked_for(message: str, now: datetime) -> tuple[TimeSpan, ...]:
    """The time spans of a message, without today where a sentence tells something.

    "I quarrelled with Max today" is news. What it brings to mind is of any time, and hardly of today.
    """
    if telling_share(message):
        message = ''.join(text if asks(text) else _TODAY.sub(' ', text) for text in sentences_in(message))
    return spans_in(message, now)


def spans_in(text: str, now: datetime) -> tuple[TimeSpan, ...]:
    """The time spans that a question mentions, in no particular order.

    Impossible dates (31 June) are ignored.
    """
    found: list[tuple[date, date]] = []
    today = now.date()
    # The most specific form first; text that it matched is not matched again.
    for pattern, days_of in _FORMS:

        def take(match: re.Match[str], days_of: _Reading = days_of) -> str:
            if (days := days_of(match, today)) is not None:
                found.append(days)
            return ' ' * len(match[0])

        text = pattern.sub(take, text)
    zone = now.tzinfo
    return tuple(TimeSpan(datetime.combine(a, time(), zone), datetime.combine(b, time(), zone)) for a, b in found)


_PARTS = {'first half': (1, 15), 'second half': (16, 31)}
_PARTS |= dict.fromkeys(('early', 'beginning', 'start'), (1, 10))
_PARTS |= dict.fromkeys(('mid', 'middle'), (11, 20))
_PARTS |= dict.fromkeys(('late', 'end'), (21, 31))
"""First and last day of the parts of a month."""

_Days = tuple[date, date]
_Reading = Callable[[re.Match[str], date], _Days | None]


def _iso(match: re.Match[str], today: date) -> _Days | None:
    return _day(int(match[1]), int(match[2]), int(match[3]))


def _day_month(match: re.Match[str], today: date) -> _Days | None:
    return _dated(int(match[1]), MONTHS[match[2].lower()], match[3], today)


def _month_day(match: re.Match[str], today: date) -> _Days | None:
    return _dated(int(match[2]), MONTHS[match[1].lower()], match[3], today)


def _month_year(match: re.Match[str], today: date) -> _Days | None:
    return _month(int(match[2]), MONTHS[match[1].lower()]) if 1 <= int(match[2]) < 9999 else None


def _in_month(match: re.Match[str], today: date) -> _Days | None:
    month = MONTHS[match[1].lower()]
    return _month(today.year if month <= today.month else today.year - 1, month)


def _part_of_month(match: re.Match[str], today: date) -> _Days | None:
    part, month = match[1].lower().removesuffix(' of'), MONTHS[match[2].lower()]
    year = int(match[3] or (today.year if month <= today.month else today.year - 1))
    if not 1 <= year < 9999:
        return None
    first, last = _PARTS[part]
    return _days(date(year, month, first), min(last, calendar.monthrange(year, month)[1]) - first + 1)


def _in_year(match: re.Match[str], today: date) -> _Days | None:
    return date(int(match[1]), 1, 1), date(int(match[1]) + 1, 1, 1)


def _weekday(match: re.Match[str], today: date) -> _Days | None:
    back = (today.weekday() - WEEKDAYS[match[1].lower()]) % 7 or 7
    return _days(today - timedelta(days=back), 1)


def _word(match: re.Match[str], today: date) -> _Days | None:
    back = {'yesterday': 1, 'the day before yesterday': 2}.get(match[1].lower(), 0)
    return _days(today - timedelta(days=back), 1)


def _day(year: int, month: int, day: int) -> _Days | None:
    there = 1 <= year < 9999 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
    return _days(date(year, month, day), 1) if there else None


def _dated(day: int, month: int, year: str | None, today: date) -> _Days | None:
    if year is not None:
        return _day(int(year), month, day)
    this_year = _day(today.year, month, day)
    if this_year is not None and this_year[0] > today:
        return _day(today.year - 1, month, day)
    return this_year


def _ago(match: re.Match[str], today: date) -> _Days | None:
    count, unit = match[1].lower(), match[2].lower()
    days = {'day': 1, 'week': 7, 'month': 30, 'year': 365}[unit] * (NUMBERS.get(count) or int(count))
    # People count roughly: the larger the unit, the longer the span.
    slack = {'day': 0, 'week': 3, 'month': 15, 'year': 183}[unit]
    return _days(today - timedelta(days=days + slack), 2 * slack + 1) if days < today.toordinal() - 400 else None


def _unit(match: re.Match[str], today: date) -> _Days | None:
    last, unit = match[1].lower() != 'this', match[2].lower()
    monday = today - timedelta(days=today.weekday())
    if unit == 'night':
        return _days(today - timedelta(days=int(last)), 1)
    if unit == 'week':
        return _days(monday - timedelta(days=7 * last), 7)
    if unit == 'weekend':
        return _days(monday - timedelta(days=2) if last else monday + timedelta(days=5), 2)
    if unit == 'month':
        first = today.replace(day=1) - timedelta(days=int(last))
        return _month(first.year, first.month)
    return date(today.year - last, 1, 1), date(today.year - last + 1, 1, 1)


def _month(year: int, month: int) -> _Days:
    return _days(date(year, month, 1), calendar.monthrange(year, month)[1])


def _days(first: date, count: int) -> _Days:
    return first, first + timedelta(days=count)


_FORMS: tuple[tuple[re.Pattern[str], _Reading], ...] = (
    (_ISO, _iso),
    (_DAY_MONTH, _day_month),
    (_MONTH_DAY, _month_day),
    (_PART_OF_MONTH, _part_of_month),
    (_MONTH_YEAR, _month_year),
    (_IN_MONTH, _in_month),
    (_IN_YEAR, _in_year),
    (_LAST_DAY, _weekday),
    (_AGO, _ago),
    (_UNIT, _unit),
    (_WORD, _word),
)
