"""What may be outdated: two statements that answer one question with different values of one type.

Closing (consolidation/supersession.py) has to tell from two sentences alone that they give one attribute. A question names the attribute, so
less of the sentences has to agree; and nothing is stored. The newer one is told as it is, the older one with a mark.

A statement *answers* if it is about whom or what the question is about, has a word of what is asked (or counts in the
same unit), and has one value of a type that the question wants, which the question does not have. Two that answer are
*versions* if their values are of one type, in one unit, and differ, if nothing else tells their subjects apart, and if the
relation does not hold of many values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lucca_memory.retrieval.analysis import key_of, words_of
from lucca_memory.semantic.answering.relevance import is_beside
from lucca_memory.semantic.language.differences import difference_of, runs_of
from lucca_memory.semantic.language.lexicon import ARTICLES, IDLE, ONE_OF_MANY, SIBLINGS, UNITS_OF_TIME
from lucca_memory.semantic.language.questions import Wanted
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word, holds_of_many, readings_by_sentence
from lucca_memory.semantic.language.tenses import tells_the_past

AS_NEAR = 0.6
"""Share of the best cosine to the question that both versions need where they have different words of it."""
AS_NEAR_UNNAMED = 0.6
"""The same where one of them has no word of the question."""
NEAR = 0.4
"""Cosine to the question below which nothing answers, where a statement lacks a word of it that another has."""
_WHERE = frozenset(['in', 'at', 'on', 'near', 'inside', 'under', 'onto', 'around', 'into', 'behind', 'beside'])
_TYPES = ('time', 'date', 'money', 'number')
_MOST_VALUE_WORDS = 4


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """A statement that was found.

    Attributes:
        time: when it was last told, as far as is known (microseconds).
        cosine: of its meaning and that of the question; None where no meanings are known.
    """

    text: str
    speaker: str
    time: int
    cosine: float | None


@dataclass(frozen=True, slots=True)
class GivenValue:
    """What a statement gives to a question.

    Attributes:
        about: roots and attributes of the question that it has, the subject's aside.
        type: of the value; 'words' where it is no name, number, time, date or amount.
        values: roots of the value, empty for words.
        unit: root of what a number counts, or 0.
        marks: what else tells its subject from the next one.
    """

    readings: tuple[Reading, ...]
    about: frozenset[int | str]
    type: str
    values: frozenset[int]
    unit: int
    marks: frozenset[str]
    many: bool


def newer_versions(wanted: Wanted, told: Sequence[FoundStatement]) -> dict[int, int]:
    """For each statement that may be outdated (its place in `told`) the place of the newest version of it."""
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
    """True if both have as much of the question as any, or are about as near to it in meaning as anything that answers."""
    if mine.about == its.about and len(mine.about) == most > 0:
        return True
    if new.cosine is None or old.cosine is None:
        return mine.about == its.about or bool(mine.about & its.about)
    share = AS_NEAR if mine.about and its.about else AS_NEAR_UNNAMED
    return min(new.cosine, old.cosine) >= max(NEAR, share * best)


def answer_of(wanted: Wanted, text: str, speaker: str) -> GivenValue | None:
    """What a statement gives to a question; None if it is about something else, or has no value of a type that is wanted.

    Of several sentences it is the one that has most of the question.
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
        # "The kelp probe" is another thing than "the kelp atlas".
        return None
    fresh = [word for word in words if word.type and not tokens[word] <= wanted.stems]
    if any(word.type == 'name' and word.text.endswith(("'s", 's’')) for word in fresh):
        # Somebody else's.
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
    """True if a sentence is in the first person and of nobody else: in what words people say something of themselves is open."""
    others = {word.lower for reading in readings for word in reading.words if word.lower in SIBLINGS | ONE_OF_MANY}
    return any(reading.owner for reading in readings) and others <= wanted.marks


def _without_kin(wanted: Wanted, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Words without "cousin" before the name that is asked about: which of the cousins is meant is known."""
    return tuple(
        word
        for word, following in zip(words, (*words[1:], NO_WORD), strict=True)
        if not (word.lower in ONE_OF_MANY and following.stem in wanted.names)
    )


def _value(wanted: Wanted, fresh: Sequence[Word]) -> tuple[str, list[Word]]:
    """The type of the one value that words give, and those that are it; '' if there is none, or more than one."""
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
            # "Desk KX-11" counts nothing.
            kind = 'code'
        # "On 6 March": the number is part of the date.
        return kind, [word for word in numbers if kind in ('date', 'code') or word.type == kind]
    return '', []


def _fits_in_place(wanted: Wanted, readings: Sequence[Reading], value: Word) -> bool:
    """False for whom something is done with where a place is asked for, and for a place where a person is."""
    before = next(
        (_word_before(reading, reading.words.index(value)) for reading in readings if value in reading.words), ''
    )
    if wanted.asks.startswith('where'):
        return before not in ('', 'with')
    return not (wanted.asks.startswith('who') and before in _WHERE)


def _unit(readings: Sequence[Reading], values: Sequence[Word]) -> int:
    for reading in readings:
        for word, following in pairwise(reading.words):
            if word in values and word.type == 'number' and following.key and not following.type:
                return following.key
    return 0


def are_versions(wanted: Wanted, new: GivenValue, old: GivenValue) -> bool:
    """True if two answers have different values of one type, and nothing speaks for two things that hold at once."""
    if new.type != old.type or (new.values and (new.values <= old.values or old.values <= new.values)):
        return False
    if any(tells_the_past(mine, its) for mine in new.readings for its in old.readings):
        return False
    # "I see Dr. Amin, a doctor in town" is one of several in its words only, where one is asked for.
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
    # What is counted is named by the question, or is the same.
    return len(units) < 2 or bool(units & wanted.items.keys())


def _words_differ(wanted: Wanted, new: Reading, old: Reading) -> bool:
    """True if two clauses say different things in one place: "is in the drawer", "is in the safe"."""
    mine, its = difference_of(new, old), difference_of(old, new)
    if mine is None or its is None or not new.keys & old.keys & (wanted.items.keys() | wanted.stems):
        return False
    # "A beige one" is beige.
    values = [word for word in (*mine.value, *its.value) if word.lower != 'one']
    if max(len(mine.value), len(its.value)) > _MOST_VALUE_WORDS or any(word.stem in IDLE for word in values):
        return False
    if any(word.key in wanted.items for word in values) or any(word.lower in UNITS_OF_TIME for word in values):
        return False
    outside = (new.marks - {word.lower for word in mine.value}) ^ (old.marks - {word.lower for word in its.value})
    one, two = _place_of(new, mine.first), _place_of(old, its.first)
    return not outside and (one == two != '' or (wanted.definite and 'where' not in (one, two)))


def _word_before(reading: Reading, place: int) -> str:
    """The word before a value, over its article; '' at the beginning."""
    at = place - 1
    while at > 0 and reading.words[at].lower in ARTICLES:
        at -= 1
    return reading.words[at].lower if at >= 0 else ''


def _place_of(reading: Reading, first: int) -> str:
    """How a value of words is tied: by where it is, or as what something is; '' for anything else."""
    before = _word_before(reading, first)
    return 'where' if before in _WHERE else 'what' if before in COPULAS or before == 'as' else ''
