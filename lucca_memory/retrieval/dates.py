"""Dates in a question as stretches of time: "last Friday", "on 7 May", "two weeks ago", "in June 2023".

Everything is counted from the moment of asking, in its zone. A date without a year is the latest such one that is not
in the future.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}
WEEKDAYS = {
    name.lower(): number for names in (calendar.day_name, calendar.day_abbr) for number, name in enumerate(names)
}
NUMBERS = {word: number for number, word in enumerate('a two three four five six seven eight nine ten'.split(), 1)}
NUMBERS |= {'one': 1, 'an': 1, 'a couple of': 2, 'couple of': 2}

_MONTH = '|'.join(sorted(MONTHS, key=len, reverse=True))
_DAY = '|'.join(sorted(WEEKDAYS, key=len, reverse=True))
_COUNT = '|'.join(sorted(NUMBERS, key=len, reverse=True))
_ISO = re.compile(r'\b(\d{4})-(\d{2})-(\d{2})\b')
_DAY_MONTH = re.compile(rf'\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,?(?: (\d{{4}}))?', re.IGNORECASE)
_MONTH_DAY = re.compile(rf'\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? (\d{{4}}))?', re.IGNORECASE)
_MONTH_YEAR = re.compile(rf'\b({_MONTH})\.?,? (?:of )?(\d{{4}})\b', re.IGNORECASE)
# "may" and "march" are words of other kinds, too; a month alone counts after a preposition only.
_IN_MONTH = re.compile(rf'\b(?:in|since|during|last) ({_MONTH})\b(?! \d)', re.IGNORECASE)
_IN_YEAR = re.compile(r'\b(?:in|during|since) ((?:19|20)\d{2})\b', re.IGNORECASE)
_LAST_DAY = re.compile(rf'\b(?:last|on|this|past) ({_DAY})\b', re.IGNORECASE)
_AGO = re.compile(rf'\b(\d+|{_COUNT}) (day|week|month|year)s? ago\b', re.IGNORECASE)
_UNIT = re.compile(r'\b(last|this|past) (week|weekend|month|year|night)\b', re.IGNORECASE)
_WORD = re.compile(r'\b(today|tonight|yesterday|the day before yesterday|this morning)\b', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """From `begin` up to, not including, `end`; both carry the zone of the moment of asking."""

    begin: datetime
    end: datetime

    def __contains__(self, moment: datetime) -> bool:
        return self.begin <= moment < self.end


def spans_in(text: str, now: datetime) -> tuple[Span, ...]:
    """The stretches of time that a question speaks of, in no particular order; none if it names no date.

    A date that is impossible (31 June) is passed over.
    """
    found: list[tuple[date, date]] = []
    today = now.date()
    for match in _ISO.finditer(text):
        _add_day(found, int(match[1]), int(match[2]), int(match[3]))
    for match in _DAY_MONTH.finditer(text):
        _add_dated(found, int(match[1]), MONTHS[match[2].lower()], match[3], today)
    for match in _MONTH_DAY.finditer(text):
        _add_dated(found, int(match[2]), MONTHS[match[1].lower()], match[3], today)
    for match in _MONTH_YEAR.finditer(text):
        if 1 <= int(match[2]) < 9999:
            found.append(_month(int(match[2]), MONTHS[match[1].lower()]))
    for match in _IN_MONTH.finditer(text):
        month = MONTHS[match[1].lower()]
        found.append(_month(today.year if month <= today.month else today.year - 1, month))
    for match in _IN_YEAR.finditer(text):
        found.append((date(int(match[1]), 1, 1), date(int(match[1]) + 1, 1, 1)))
    for match in _LAST_DAY.finditer(text):
        back = (today.weekday() - WEEKDAYS[match[1].lower()]) % 7 or 7
        found.append(_days(today - timedelta(days=back), 1))
    for match in _AGO.finditer(text):
        _add_ago(found, match[1].lower(), match[2].lower(), today)
    for match in _UNIT.finditer(text):
        found.append(_unit(match[1].lower(), match[2].lower(), today))
    for match in _WORD.finditer(text):
        back = {'yesterday': 1, 'the day before yesterday': 2}.get(match[1].lower(), 0)
        found.append(_days(today - timedelta(days=back), 1))
    zone = now.tzinfo
    return tuple(Span(datetime.combine(a, time(), zone), datetime.combine(b, time(), zone)) for a, b in found)


def _add_day(found: list[tuple[date, date]], year: int, month: int, day: int) -> None:
    if 1 <= year < 9999 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]:
        found.append(_days(date(year, month, day), 1))


def _add_dated(found: list[tuple[date, date]], day: int, month: int, year: str | None, today: date) -> None:
    if year is not None:
        _add_day(found, int(year), month, day)
        return
    before = len(found)
    _add_day(found, today.year, month, day)
    if len(found) > before and found[-1][0] > today:
        found.pop()
        _add_day(found, today.year - 1, month, day)


def _add_ago(found: list[tuple[date, date]], count: str, unit: str, today: date) -> None:
    number = NUMBERS.get(count) or int(count)
    days = {'day': 1, 'week': 7, 'month': 30, 'year': 365}[unit] * number
    if days < today.toordinal() - 400:
        # People count roughly: the wider the unit, the wider the stretch.
        slack = {'day': 0, 'week': 3, 'month': 15, 'year': 183}[unit]
        found.append(_days(today - timedelta(days=days + slack), 2 * slack + 1))


def _unit(which: str, unit: str, today: date) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday())
    last = which != 'this'
    if unit == 'night':
        return _days(today - timedelta(days=1), 1) if last else _days(today, 1)
    if unit == 'week':
        return _days(monday - timedelta(days=7 * last), 7)
    if unit == 'weekend':
        return _days(monday - timedelta(days=2) if last else monday + timedelta(days=5), 2)
    if unit == 'month':
        first = today.replace(day=1)
        return _month((first - timedelta(days=last)).year, (first - timedelta(days=last)).month)
    return date(today.year - last, 1, 1), date(today.year - last + 1, 1, 1)


def _month(year: int, month: int) -> tuple[date, date]:
    return _days(date(year, month, 1), calendar.monthrange(year, month)[1])


def _days(first: date, count: int) -> tuple[date, date]:
    return first, first + timedelta(days=count)
