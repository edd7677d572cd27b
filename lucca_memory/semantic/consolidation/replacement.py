"""Recognising a statement that says itself that a value changed, and whether it is the value of an older statement.

`supersession.py` compares two sentences without regard to such words. But people also tell changes in free words, in
sentences that share little with the earlier one: "the session was moved to 15 March", "the increased budget of 250
euros", "down from 40 to 32 minutes". Here the newer sentence shows that an earlier value no longer holds, so less has
to agree: the type and unit of the value, and what the value is of.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lucca_memory.retrieval.analysis import key_of
from lucca_memory.semantic.language.amounts import Amount, amounts_in, same_unit
from lucca_memory.semantic.language.lexicon import ARTICLES, CHANGES, HAPPENED, IDLE, PLANNED, REACHES, UNITS_OF_TIME
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word
from lucca_memory.semantic.language.tenses import is_past
from lucca_memory.words import word_set

_REACHED = frozenset(['to', 'at', 'until', 'till', 'through', 'into'])
"""Words between a change and the value that it led to."""
_SPARED = frozenset(
    ['about', 'around', 'roughly', 'just', 'now', 'already', 'a', 'an', 'the', 'total', 'nearly', 'almost']
)
"""Words that may stand before an amount."""
_DEFINITE = ARTICLES - {'a', 'an'} | {'this', 'that'}
_FILLERS = word_set('fillers')
_NEW = key_of('new')
_INSTEAD = key_of('instead')
_FAR = 9
"""Most words between a change and its value."""
_NEAR = 3
"""Most words between "now" and a value."""
_SHARED = 2
"""How many words about what changed both statements have to share."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value of which a clause says that it is new.

    Attributes:
        was: the value before, if the clause names it: "from 40 to 32 minutes".
        topic: roots of what it is the value of.
        granted: the clause takes the change for granted: "the increased budget of".
    """

    value: Amount
    was: Amount | None
    topic: frozenset[int]
    granted: bool


def replaces(new: Reading, old: Reading, *, asks: bool = False) -> bool:
    """True if the newer clause says that something changed, and the older one gives its value before.

    Args:
        new, old: clauses, from one owner's memory.
        asks: the newer clause is (in) a question, so that only what it takes for granted counts.
    """
    # "The deadline of the first sprint" may be "the deadline" later, but not "the deadline of the second sprint".
    if old.doubtful or new.marks - old.marks or (new.owner and old.owner and new.owner != old.owner):
        return False
    if _names_differ(new, old):
        return False
    # "I might not manage with the increased budget of 90 euros": what is taken for granted is not doubted.
    sure = not asks and not new.doubtful
    return any(_is_of(changed, new, old) for changed in changed_values(new) if changed.granted or sure)


def changed_values(reading: Reading) -> Iterator[ChangedValue]:
    """The values of a clause that it says have changed."""
    amounts = amounts_in(reading)
    for number, value in enumerate(amounts):
        link = _link(reading.words, value)
        was = _before(reading, amounts[number - 1], value) if number and link == 'to' else None
        granted = _is_granted(reading.words, value, link)
        if was or granted or _is_reached(reading.words, value, amounts, link) or _is_instead(reading.words, value):
            yield ChangedValue(value, was, _topic(reading, amounts), granted)


def _before(reading: Reading, was: Amount, value: Amount) -> Amount | None:
    """The value before a change, if the one before `value` is that: "cut from 40 to 32 minutes", not "from 9 to 5"."""
    if not _is_from(reading.words, was) or was.type != value.type or not same_unit(was, reading, value, reading):
        return None
    words = reading.words[max(0, was.first - _FAR) : was.first]
    if any(word.stem in CHANGES or word.lower in ('up', 'down') for word in words):
        return was
    return None


def _is_of(changed: ChangedValue, new: Reading, old: Reading) -> bool:
    """True if the older clause gives the value that changed."""
    given = [
        value
        for value in amounts_in(old)
        if value.type == changed.value.type and same_unit(changed.value, new, value, old) and not _is_passed(old, value)
    ]
    if changed.was is not None:
        given = [value for value in given if changed.was.keys <= value.keys]
    elif changed.value.type in ('date', 'time') and not _is_planned(old):
        return False
    else:
        # "I raised the budget to 80 euros" is told as an event, but its value holds.
        reached = [other.value for other in changed_values(old)]
        given = [value for value in given if value in reached or not _happened(old, value)]
    if len({value.keys for value in given}) != 1 or changed.value.keys <= given[0].keys:
        return False
    shared = changed.topic & _topic(old, amounts_in(old))
    if _modifiers_differ(new, old, shared):
        return False
    return len(shared) >= (1 if changed.was is not None else _SHARED)


def _link(words: Sequence[Word], value: Amount) -> str:
    """The word that attaches a value: "to" in "to about 250 euros"."""
    at = value.first - 1
    while at >= 0 and words[at].lower in _SPARED:
        at -= 1
    return words[at].lower if at >= 0 else ''


def _is_from(words: Sequence[Word], value: Amount) -> bool:
    return _link(words, value) == 'from'


def _is_passed(reading: Reading, value: Amount) -> bool:
    """True for a value that the clause itself says is over ("from 40 to 32"), or an amount of change ("by 20", "a rise
    of 20", "the 20 euro rise")."""
    link = _link(reading.words, value)
    words = reading.words
    beside = (
        *words[value.end : value.end + 2],
        *(words[max(0, value.first - 2) : value.first] if link == 'of' else ()),
    )
    if any(word.stem in CHANGES for word in beside) and value.type in ('number', 'money'):
        return True
    return link in ('from', 'since') or (link == 'by' and value.type in ('number', 'money'))


def _is_reached(words: Sequence[Word], value: Amount, amounts: Sequence[Amount], link: str) -> bool:
    """True for the end of a change: "extended the deadline to 18 March", "is up to 25 titles", "is now at 60"."""
    if _is_now(words, value):
        return True
    if key_of(link) in REACHES:
        return True
    if link not in _REACHED:
        return False
    place = next(at for at in range(value.first - 1, -1, -1) if words[at].lower == link)
    if place and link == 'to' and words[place - 1].lower in ('up', 'down'):
        return True
    ends = (other.end for other in amounts if other.end <= place and not _is_from(words, other))
    begin = max([0, place - _FAR, *ends])
    return any(word.stem in CHANGES for word in words[begin:place])


def _is_now(words: Sequence[Word], value: Amount) -> bool:
    """True if "now" stands close to a value, but not "now that"."""
    near = (*range(max(0, value.first - _NEAR), value.first), *range(value.end, min(len(words), value.end + _NEAR)))
    return any(words[at].lower == 'now' and (*words[at + 1 :], NO_WORD)[0].lower != 'that' for at in near)


def _is_granted(words: Sequence[Word], value: Amount, link: str) -> bool:
    """True for a definite noun phrase with a change in it: "the increased budget of 250 euros", "my new deadline is 20
    March", "the increase of the fee to 32 euros"."""
    if link not in COPULAS | _REACHED | {'of', 'on', 'by'}:
        return False
    for place in range(value.first - 2, max(-1, value.first - _FAR), -1):
        if words[place].stem not in CHANGES and words[place].stem != _NEW:
            continue
        begin = place
        while begin and words[begin - 1].key:
            begin -= 1
        return bool(begin) and words[begin - 1].lower in _DEFINITE
    return False


def _is_instead(words: Sequence[Word], value: Amount) -> bool:
    return any(word.stem == _INSTEAD for word in words[value.end : value.end + 2])


def _topic(reading: Reading, amounts: Sequence[Amount]) -> frozenset[int]:
    """Roots of a clause that say what a value is of: no values, units, changes, or words of small talk."""
    inside = {at for amount in amounts for at in range(amount.first, amount.end)}
    units = {unit for amount in amounts for unit in amount.units}
    return frozenset(
        word.key
        for at, word in enumerate(reading.words)
        if at not in inside
        and word.key in reading.telling
        and word.key not in units
        and word.stem not in CHANGES | IDLE
        and word.lower not in UNITS_OF_TIME | _FILLERS
    )


def _names_differ(new: Reading, old: Reading) -> bool:
    """True if both name somebody or something, but not the same."""
    one, two = ({word.key for word in reading.words if word.type == 'name'} for reading in (new, old))
    return bool(one and two) and not one & two


def _modifiers_differ(new: Reading, old: Reading, shared: frozenset[int]) -> bool:
    """True if a shared word has other words before it: "the team meeting", "the board meeting"."""
    return any(_modifiers(new, key) - old.keys and _modifiers(old, key) - new.keys for key in shared)


def _modifiers(reading: Reading, key: int) -> set[int]:
    found = set()
    for place, word in enumerate(reading.words):
        if word.key != key:
            continue
        for before in reversed(reading.words[:place]):
            if not before.key or before.type or before.stem in CHANGES | IDLE or before.lower in _FILLERS:
                break
            found.add(before.key)
    return found


def _happened(reading: Reading, value: Amount) -> bool:
    """True if a value is of something that its speaker did once: "I spent 45 euros on supplies"."""
    if not any(word.lower in ('i', 'we') for word in reading.words):
        return False
    past = {
        at
        for at, (before, word) in enumerate(itertools.pairwise((NO_WORD, *reading.words)))
        if (word.lower in HAPPENED and before.lower not in _PERFECT) or is_past(reading.words, at)
    }
    nearest = max((at for at in past if at < value.first), default=min(past, default=-1))
    return nearest >= 0 and reading.words[nearest].stem not in PLANNED


def _is_planned(reading: Reading) -> bool:
    """True if a date or time in a clause is that of a plan or of a regular event, not of something that happened."""
    return any(word.stem in PLANNED or word.attribute in _HELD for word in reading.words or (NO_WORD,))


_PERFECT = frozenset(['have', 'has', "i've", "we've"])
_HELD = frozenset(['deadline', 'begins', 'ends', 'departs', 'arrives', 'birthday'])
