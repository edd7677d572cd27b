"""Recognising a statement that says itself that a value changed, and whether it is the value of an older statement.

`supersession.py` compares two sentences without regard to such words. But people also tell changes in free words, in
sentences that share little with the earlier one: "the session was moved to 15 March", "the increased budget of 250
euros", "down from 40 to 32 minutes". Here the newer sentence shows that an earlier value no longer holds, so less has
to agree: the type and unit of the value, and the attribute and the thing that it is of.

Both sentences are read narrowly: where a word stands that is not understood, nothing is closed.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from lucca_memory.retrieval.analysis import key_of
from lucca_memory.semantic.language.amounts import Amount, amounts_in, same_unit
from lucca_memory.semantic.language.lexicon import (
    ARTICLES,
    CHANGED,
    CHANGES,
    FACTIVE,
    HAPPENED,
    PLANNED,
    PREPOSITIONS,
    REACHES,
    RELATIVE,
    SETTLED,
    UNITS_OF_TIME,
    UNSETTLED,
)
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word
from lucca_memory.semantic.language.tenses import is_past
from lucca_memory.semantic.language.value_subjects import (
    ADVERBS,
    DETERMINERS,
    SPARED,
    SUBJECTS,
    ValueSubject,
    subject_of,
)
from lucca_memory.words import word_set

_REACHED = frozenset(['to', 'at', 'until', 'till', 'through', 'into'])
"""Words between a change and the value that it led to."""
_DEFINITE = ARTICLES - {'a', 'an'} | {'this', 'that'}
_NEW = key_of('new')
_MOMENTS = frozenset(['date', 'time'])
_QUANTITIES = frozenset(['number', 'money'])
_HELPERS = frozenset(['has', 'have', 'was', 'were', 'been', 'is', 'are', "it's", 'got', 'am'])
_HOLDING = COPULAS | {'has', 'have', "i've", "we've"}
_ENDS = word_set('value_ends')
"""Words that may follow a value and its complements; "higher" and "too late" may not."""
_KEEPING = frozenset(['pay', 'keep', 'spend', 'charge', 'set', 'get', 'got', 'give', 'pays', 'need'])
_PAYING = frozenset(['pay', 'pays', 'spend', 'get', 'charge'])
_BEFORE_INFINITIVES = frozenset(['decided', 'agreed', 'managed', 'had'])
_PAST_WORDS = frozenset(['ago', 'originally', 'initially', 'formerly', 'previously', 'earlier', 'temporarily', 'used'])
_MOST_AGENT_WORDS = 2


class HowTold(Enum):
    """How a clause says that a value is new."""

    STATED = auto()
    """As what it states: "the fee rose to 30 euros"."""
    GRANTED = auto()
    """As something known, so that it counts in questions and doubts, too: "the increased fee of 30 euros"."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A value of which a clause says that it is new.

    Attributes:
        was: the value before, if the clause names it: "from 40 to 32 minutes".
        subject: what it is the value of.
    """

    value: Amount
    was: Amount | None
    subject: ValueSubject
    told: HowTold


def replaces(new: Reading, old: Reading, *, asks: bool = False) -> bool:
    """True if the newer clause says that something changed, and the older one gives its value before.

    Args:
        new, old: clauses, from one owner's memory.
        asks: the newer clause is (in) a question, so that only what it takes for granted counts.
    """
    if old.doubtful or new.marks != old.marks or (new.owner and old.owner and new.owner != old.owner):
        return False
    sure = not asks and not new.doubtful
    return any(_is_of(changed, new, old) for changed in changed_values(new) if changed.told is HowTold.GRANTED or sure)


def changed_values(reading: Reading) -> Iterator[ChangedValue]:
    """The values of a clause that it says have changed."""
    words, amounts = reading.words, amounts_in(reading)
    lower = _untyped(words)
    if lower & _PAST_WORDS:
        return
    for number, value in enumerate(amounts):
        subject = subject_of(reading, value, amounts)
        was = _before(reading, amounts[number - 1], value) if number else None
        if subject is None or not _ends_well(words, value, subject) or _has_between(amounts, was, value, subject):
            continue
        if any(other.type == value.type for other in amounts if other not in (value, was)):
            continue
        if not lower & UNSETTLED and _is_stated(words, value, subject, was):
            yield ChangedValue(value, was, subject, HowTold.STATED)
        elif _is_granted(words, value, subject):
            yield ChangedValue(value, was, subject, HowTold.GRANTED)


def _is_of(changed: ChangedValue, new: Reading, old: Reading) -> bool:
    """True if the older clause gives the value that changed."""
    amounts = amounts_in(old)
    given = [
        value
        for value in amounts
        if value.type == changed.value.type and same_unit(changed.value, new, value, old) and not _is_passed(old, value)
    ]
    if len({value.keys for value in given}) != 1 or changed.value.keys <= given[0].keys:
        return False
    if changed.was is not None and not changed.was.keys <= given[0].keys:
        return False
    if not _same_moments(changed, new, old):
        return False
    subject = subject_of(old, given[0], amounts)
    if subject is None or not _gives(old, given[0], subject):
        return False
    surely = changed.was is not None or (subject.owned and changed.subject.owned and not _is_event(old))
    return changed.subject.refers_to(subject, surely=surely)


def _same_moments(changed: ChangedValue, new: Reading, old: Reading) -> bool:
    """True if other values before the changed one ("the fee for the course on 3 May") are in the older clause, too."""
    return all(
        other.keys <= old.keys
        for other in amounts_in(new)
        if other not in (changed.value, changed.was) and other.first < changed.value.first
    )


# -- the newer clause -------------------------------------------------------------------------------------------------


def _before(reading: Reading, was: Amount, value: Amount) -> Amount | None:
    """The value before a change, if the one before `value` is that: "cut from 40 to 32 minutes", not "from 9 to 5"."""
    if _link(reading.words, was) != 'from' or was.type != value.type or not same_unit(was, reading, value, reading):
        return None
    return was


def _has_between(amounts: Sequence[Amount], was: Amount | None, value: Amount, subject: ValueSubject) -> bool:
    """True for the date in "has reached 60 as of 3 May": what changed to is another value."""
    return any(subject.noun_end <= other.first < value.first for other in amounts if other != was)


def _is_stated(words: Sequence[Word], value: Amount, subject: ValueSubject, was: Amount | None) -> bool:
    """True if a clause states that its subject has changed to a value."""
    between = range(subject.noun_end, value.first)
    at = subject.begin - 1
    if at >= 0 and words[at].stem in CHANGES and _link(words, value) in _REACHED:
        # "We raised the fee to 30 euros": the change is before what it changes.
        return _has_happened(words, at, value) and _is_factual(_without_agent(words, at))
    if subject.begin == subject.noun_end and words[at].lower in _PAYING and at >= 0:
        # "We now pay 30 euros for the course."
        return words[at - 1].lower == 'now' and _is_factual(words[:at])
    refers = any(words[at].lower in ('which', 'it', "it's") for at in between)
    lead = () if refers else words[: subject.begin]
    changes = [at for at in between if words[at].stem in CHANGES | REACHES or words[at].lower in CHANGED]
    if changes:
        reached = _link(words, value) in _REACHED or words[changes[-1]].stem in REACHES
        return reached and _has_happened(words, changes[-1], value) and _is_factual(lead)
    if _is_now(words, value, subject) or (was is not None and any(words[at].lower in ('up', 'down') for at in between)):
        return _is_factual(lead)
    return _is_instead(words, subject) and _is_factual([word for word in lead if not word.lower.endswith('ing')])


def _has_happened(words: Sequence[Word], at: int, value: Amount) -> bool:
    """True for "has been raised", "rose" and "will be moved to Friday"; not for "to raise" and "had been raised"."""
    helpers = list[str]()
    for word in reversed(words[:at]):
        if word.lower not in _HELPERS | ADVERBS | {'will', 'be', 'had', 'to', "i'm", "we're", "i've", "we've"}:
            break
        helpers.append(word.lower)
    lower, place = words[at].lower, at - len(helpers) - 1
    before = words[place].lower if place >= 0 else ''
    if 'to' in helpers:
        return helpers[-1] == 'had' or (helpers[-1] == 'to' and before in _BEFORE_INFINITIVES)
    if 'had' in helpers or at == 0:
        return False
    if 'will' in helpers or 'be' in helpers or lower.endswith('ing'):
        # An appointment holds as soon as it is made, a fee when it rises.
        return value.type in _MOMENTS and ('be' not in helpers or 'will' in helpers)
    return lower in CHANGED or lower.endswith('ed') or words[at].stem in REACHES


def _is_now(words: Sequence[Word], value: Amount, subject: ValueSubject) -> bool:
    """True if "now" belongs to the verb that gives the value: "is now at 15", "we now pay 15"; not "now that"."""
    between = words[subject.noun_end : value.first]
    holds = any(word.lower in _HOLDING or word.attribute for word in between)
    after = [word.lower for word in words[subject.end : subject.end + 2]]
    behind = after[:1] == ['now'] and after[1:] != ['that']
    return holds and (behind or any(word.lower == 'now' for word in between))


def _is_instead(words: Sequence[Word], subject: ValueSubject) -> bool:
    after = [word.lower for word in words[subject.end : subject.end + 2]]
    return after[:1] == ['instead'] and after[1:] != ['of']


def _is_granted(words: Sequence[Word], value: Amount, subject: ValueSubject) -> bool:
    """True for a definite noun phrase with a change in it: "the increased budget of 250 euros", "the increase of the
    fee to 32 euros"."""
    if _untyped(words) & (UNSETTLED - {'should'}):
        return False
    phrase = range(subject.begin, value.first)
    definite = bool(phrase) and words[subject.begin].lower in _DEFINITE
    changes = [at for at in phrase if words[at].stem in CHANGES or words[at].stem == _NEW]
    if not definite or len(changes) != 1:
        return False
    [at] = changes
    link, between = (
        _link(words, value),
        {words[place].lower for place in range(max(at + 1, subject.noun_end), value.first)},
    )
    if between - _REACHED - SPARED - {'of'}:
        return False
    if link == 'of':
        return at < subject.noun_end - 1 and words[at - 1].lower in _DEFINITE
    return link in _REACHED and words[at].stem != _NEW and not words[at].lower.endswith(('ed', 'ing'))


def _ends_well(words: Sequence[Word], value: Amount, subject: ValueSubject) -> bool:
    """True if nothing follows a value that could turn it into something else: "20 euros higher"."""
    if any(word.lower in RELATIVE for word in words[value.end : subject.end]):
        return False
    after = [word.lower for word in words[subject.end : subject.end + 2]]
    return not after or after[0] in _ENDS or (after[0] == 'this' and after[-1] in UNITS_OF_TIME)


def _is_factual(lead: Sequence[Word]) -> bool:
    """True if what stands before a clause's subject leaves what follows a fact: "we decided that"."""
    return all(word.lower in _NEUTRAL | FACTIVE | {'they'} for word in lead)


def _without_agent(words: Sequence[Word], change: int) -> Sequence[Word]:
    """The words before a verb of change, its helpers, and who changed something ("the landlord")."""
    at = change - 1
    while at >= 0 and words[at].lower in _HELPERS | ADVERBS | {'will', 'be', 'to', 'had'}:
        at -= 1
    end = at + 1
    while at >= 0 and end - at <= _MOST_AGENT_WORDS and words[at].key and not words[at].type:
        at -= 1
    named = 0 <= at < end - 1 and words[at].lower in _DEFINITE
    return words[:at] if named else words[:end]


# -- the older clause -------------------------------------------------------------------------------------------------


def _gives(reading: Reading, value: Amount, subject: ValueSubject) -> bool:
    """True if a clause gives a value that holds until it changes."""
    words = reading.words
    lower = _untyped(words)
    if lower & (UNSETTLED | _PAST_WORDS) or not _holds(words[subject.noun_end : value.first]):
        return False
    if any(not _may_lead(word) for word in words[: subject.begin]):
        return False
    if subject.end < len(words) and words[subject.end].lower not in _ENDS | {'but', 'at', 'on', 'to'} | ADVERBS:
        return False
    return not (value.type in _QUANTITIES and _happened(reading, value))


def _holds(between: Sequence[Word]) -> bool:
    """False for "was 400 euros" and "had 12 nodes", which are over."""
    for word, after in itertools.pairwise((*between, NO_WORD)):
        if word.lower == 'had':
            return False
        fixed = after.lower in SETTLED | {'been', 'at'} or after.stem in CHANGES
        if word.lower in ('was', 'were') and not fixed:
            return False
    return True


def _may_lead(word: Word) -> bool:
    """True for a word that may stand before the subject of a value that holds: "we agreed on", "I raised"."""
    known = word.lower in _NEUTRAL | FACTIVE | SETTLED | _KEEPING | PREPOSITIONS
    return known or word.stem in CHANGES or word.lower in CHANGED


_NEUTRAL = (
    SUBJECTS | ADVERBS | DETERMINERS | frozenset(['am', 'is', 'are', 'has', 'have', 'been', 'and', 'also', 'out'])
)


def _is_passed(reading: Reading, value: Amount) -> bool:
    """True for a value that the clause itself says is over ("from 40 to 32"), or an amount of change ("by 20", "a rise
    of 20", "the 20 euro rise")."""
    link = _link(reading.words, value)
    words = reading.words
    beside = (
        *words[value.end : value.end + 2],
        *(words[max(0, value.first - 2) : value.first] if link == 'of' else ()),
    )
    if any(word.stem in CHANGES for word in beside) and value.type in _QUANTITIES:
        return True
    return link in ('from', 'since') or (link == 'by' and value.type in _QUANTITIES)


def _happened(reading: Reading, value: Amount) -> bool:
    """True if a value is of something that its speaker did once: "I spent 45 euros on supplies"."""
    if not any(word.lower in ('i', 'we') for word in reading.words):
        return False
    past = {
        at
        for at, (before, word) in enumerate(itertools.pairwise((NO_WORD, *reading.words)))
        if (word.lower in HAPPENED and before.lower not in ('have', 'has', "i've", "we've"))
        or is_past(reading.words, at)
    }
    nearest = max((at for at in past if at < value.first), default=-1)
    return nearest >= 0 and reading.words[nearest].stem not in PLANNED | CHANGES


def _is_event(reading: Reading) -> bool:
    """True if a clause is about an appointment: there may be others of the same name."""
    return any(word.stem in PLANNED for word in reading.words)


def _untyped(words: Sequence[Word]) -> set[str]:
    """The words that are no name, number or date: "May" is none of them."""
    return {word.lower for word in words if not word.type}


def _link(words: Sequence[Word], value: Amount) -> str:
    """The word that attaches a value: "to" in "to about 250 euros"."""
    at = value.first - 1
    while at >= 0 and words[at].lower in SPARED:
        at -= 1
    return words[at].lower if at >= 0 else ''
