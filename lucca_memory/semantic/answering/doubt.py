"""Marking statements that may be outdated: two statements that answer one question with different values.

Superseding (consolidation/supersession.py) must establish from two sentences alone that they state the same attribute.
A question names the attribute, so less has to agree; and nothing is stored. The older statement is marked.

A statement *answers* a question if it has the question's subject, shares a word with what is asked (or counts in the
same unit), and has exactly one value of a wanted type that is not in the question. Two answers are *versions* if their
values have one type and unit but differ, nothing else distinguishes their subjects, and the relation does not allow
several values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lucca_memory.retrieval.analysis import key_of, words_of
from lucca_memory.semantic.answering.relevance import WHERE, is_beside
from lucca_memory.semantic.language.differences import difference_of, runs_of
from lucca_memory.semantic.language.lexicon import ARTICLES, IDLE, ONE_OF_MANY, SIBLINGS, UNITS_OF_TIME
from lucca_memory.semantic.language.questions import Wanted
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word, holds_of_many, readings_by_sentence
from lucca_memory.semantic.language.tenses import tells_the_past

AS_NEAR = 0.6
"""Share of the best cosine to the question that both versions need if they share different words with it."""
AS_NEAR_UNNAMED = 0.6
"""The same if one of them shares no word with the question."""
NEAR = 0.4
"""Minimum cosine to the question for a statement that lacks a word of it that the other one has."""
_TYPES = ('time', 'date', 'money', 'number')
_MOST_VALUE_WORDS = 4


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """A statement that was found.

    Attributes:
        time: when it was last said, as far as known (microseconds).
        cosine: similarity of statement and question; None without an embedder.
    """

    text: str
    speaker: str
    time: int
    cosine: float | None


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A statement's answer to a question.

    Attributes:
        about: roots and attributes that it shares with the question, apart from those of the subject.
        type: type of the value; 'words' if it is not a name, number, time, date or amount.
        values: roots of the value; empty for words.
        unit: root of what a number counts, or 0.
        marks: other words that distinguish its subject.
    """

    readings: tuple[Reading, ...]
    about: frozenset[int | str]
    type: str
    values: frozenset[int]
    unit: int
    marks: frozenset[str]
    many: bool


def newer_versions(wanted: Wanted, told: Sequence[FoundStatement]) -> dict[int, int]:
    """Maps the index (in `told`) of each possibly outdated statement to the index of its newest version."""
    answers = {
        place: answer for place, item in enumerate(told) if (answer := answer_of(wanted, item.text, item.speaker))
    }
    best = max((told[place].cosine or 0.0 for place in answers), default=0.0)
    most = max((len(answer.about) for answer in answers.values()), default=0)
    found: dict[int, int] = {}
    for old, its in answers.items():
        newer = [
            new
            for new, mine in answers.items()
            if told[new].time > told[old].time
            and (not wanted.first_person or told[new].speaker == told[old].speaker)
            and _are_near(told[new], told[old], mine, its, best, most)
            and are_versions(wanted, mine, its)
        ]
        if newer:
            found[old] = max(newer, key=lambda place: told[place].time)
    return found


def _are_near(
    new: FoundStatement, old: FoundStatement, mine: GivenValue, its: GivenValue, best: float, most: int
) -> bool:
    """True if both share as many words with the question as any other, or are about as similar to it as the best."""
    if mine.about == its.about and len(mine.about) == most > 0:
        return True
    if new.cosine is None or old.cosine is None:
        return mine.about == its.about or bool(mine.about & its.about)
    share = AS_NEAR if mine.about and its.about else AS_NEAR_UNNAMED
    return min(new.cosine, old.cosine) >= max(NEAR, share * best)


def answer_of(wanted: Wanted, text: str, speaker: str) -> GivenValue | None:
    """A statement's answer to a question; None if it is about something else, or has no value of a wanted type.

    Of several sentences, the one that shares most with the question counts.
    """
    found = [
        answer
        for sentence in readings_by_sentence(text, speaker)
        if (answer := _answer(wanted, tuple(reading for reading in sentence if not reading.doubtful)))
    ]
    return max(found, key=lambda answer: len(answer.about), default=None)


def _answer(wanted: Wanted, readings: tuple[Reading, ...]) -> GivenValue | None:
    words = [word for reading in readings for word in reading.words]
    tokens = {word: frozenset(key for part in words_of(word.text) if (key := key_of(part))) for word in words}
    stems = frozenset[int]().union(*tokens.values())
    marks = frozenset(mark for reading in readings for mark in reading.marks)
    if not words or not wanted.names <= stems or not (wanted.names or wanted.marks <= marks):
        return None
    runs = frozenset[tuple[int, int]]().union(*map(runs_of, readings))
    if not wanted.names and not wanted.first_person and not wanted.runs <= runs:
        # "The kelp probe" is not "the kelp atlas".
        return None
    fresh = [word for word in words if word.type and not tokens[word] <= wanted.stems]
    if any(word.type == 'name' and word.text.endswith(("'s", 's’')) for word in fresh):
        # Owned by somebody else.
        return None
    kind, values = _value(wanted, fresh)
    if not kind or is_beside(wanted, readings, kind):
        return None
    if kind == 'name' and not _fits_in_place(wanted, readings, values[0]):
        return None
    unit = _unit(readings, values)
    said = {item for word in words if word.key for item in (word.key, word.attribute)}
    subject = frozenset(key for run in wanted.runs & runs for key in run)
    about = wanted.about(subject) & said
    whole = wanted.about() - {wanted.kind}
    known = (unit and wanted.names) or (wanted.kind and whole and whole <= said)
    own = wanted.first_person and _is_of_the_speaker(wanted, readings)
    if not about and not known and not own:
        return None
    return GivenValue(
        readings,
        about,
        kind,
        frozenset(key for word in values for key in (tokens[word] if kind == 'name' else (word.key,))),
        unit,
        marks - wanted.marks,
        any(
            holds_of_many(_without_kin(wanted, reading.words))
            for reading in readings
            if not values or any(word in values for word in reading.words)
        ),
    )


def _is_of_the_speaker(wanted: Wanted, readings: Sequence[Reading]) -> bool:
    """True if a sentence is about its speaker only; people say things about themselves in many different words."""
    others = {word.lower for reading in readings for word in reading.words if word.lower in SIBLINGS | ONE_OF_MANY}
    return any(reading.owner for reading in readings) and others <= wanted.marks


def _without_kin(wanted: Wanted, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words without "cousin" before the name that is asked about, as the person is known already."""
    return tuple(
        word
        for word, following in zip(words, (*words[1:], NO_WORD), strict=True)
        if not (word.lower in ONE_OF_MANY and following.stem in wanted.names)
    )


def _value(wanted: Wanted, fresh: Sequence[Word]) -> tuple[str, list[Word]]:
    """Type and words of the only value among the words; '' if there is none or more than one."""
    named = [word for word in fresh if word.type == 'name']
    numbers = [word for word in fresh if word.type != 'name']
    if not fresh:
        return ('words', []) if 'words' in wanted.types else ('', [])
    if named and not numbers and 'name' in wanted.types and len({word.key for word in named}) == 1:
        return 'name', named
    kinds = {word.type for word in numbers}
    if numbers and not named and kinds & wanted.types:
        kind = next(kind for kind in _TYPES if kind in kinds)
        if kind == 'number' and all(word.lower[0].isalpha() for word in numbers):
            # The number in "desk KX-11" counts nothing.
            kind = 'code'
        # "On 6 March": the number is part of the date.
        return kind, [word for word in numbers if kind in ('date', 'code') or word.type == kind]
    return '', []


def _fits_in_place(wanted: Wanted, readings: Sequence[Reading], value: Word) -> bool:
    """False for a companion's name where a place is asked for, and for a place where a person is asked for."""
    before = next(
        (_word_before(reading, reading.words.index(value)) for reading in readings if value in reading.words), ''
    )
    if wanted.asks.startswith('where'):
        return before not in ('', 'with')
    return not (wanted.asks.startswith('who') and before in WHERE)


def _unit(readings: Sequence[Reading], values: Sequence[Word]) -> int:
    for reading in readings:
        for word, following in pairwise(reading.words):
            if word in values and word.type == 'number' and following.key and not following.type:
                return following.key
    return 0


def are_versions(wanted: Wanted, new: GivenValue, old: GivenValue) -> bool:
    """True if two answers have different values of one type, and nothing suggests that both hold at once."""
    if new.type != old.type or (new.values and (new.values <= old.values or old.values <= new.values)):
        return False
    if any(tells_the_past(mine, its) for mine in new.readings for its in old.readings):
        return False
    # "I see Dr. Amin, a doctor in town": the indefinite article is ignored if the question asks for one thing.
    one = wanted.definite or (wanted.singular and new.type != 'words')
    if (new.many or old.many) and not one:
        return False
    if new.type == 'words':
        return any(_words_differ(wanted, one, two) for one in new.readings for two in old.readings)
    if new.marks != old.marks:
        return False
    if not (new.about and old.about) and new.type in _TYPES and new.unit != old.unit:
        return False
    units = {new.unit, old.unit} - {0}
    # The question names what is counted, or both count the same.
    return len(units) < 2 or bool(units & wanted.items.keys())


def _words_differ(wanted: Wanted, new: Reading, old: Reading) -> bool:
    """True if two clauses differ in the words of one place: "is in the drawer", "is in the safe"."""
    mine, its = difference_of(new, old), difference_of(old, new)
    if mine is None or its is None or not new.keys & old.keys & (wanted.items.keys() | wanted.stems):
        return False
    # "A beige one" means beige.
    values = [word for word in (*mine.value, *its.value) if word.lower != 'one']
    if max(len(mine.value), len(its.value)) > _MOST_VALUE_WORDS or any(word.stem in IDLE for word in values):
        return False
    if any(word.key in wanted.items for word in values) or any(word.lower in UNITS_OF_TIME for word in values):
        return False
    outside = (new.marks - {word.lower for word in mine.value}) ^ (old.marks - {word.lower for word in its.value})
    one, two = _place_of(new, mine.first), _place_of(old, its.first)
    return not outside and (one == two != '' or (wanted.definite and 'where' not in (one, two)))


def _word_before(reading: Reading, place: int) -> str:
    """The word before a value, skipping its article; '' at the beginning."""
    at = place - 1
    while at > 0 and reading.words[at].lower in ARTICLES:
        at -= 1
    return reading.words[at].lower if at >= 0 else ''


def _place_of(reading: Reading, first: int) -> str:
    """How a value of words is attached: as a location or as a predicate; '' otherwise."""
    before = _word_before(reading, first)
    return 'where' if before in WHERE else 'what' if before in COPULAS or before == 'as' else ''
