"""What a value in a clause is of: "budget" and "pottery lessons" in "the budget for pottery lessons is 80 euros".

The words before the value are read from right to left: words that only link ("is", "was moved to"), then a noun phrase
with its complements, and what remains. The words after the value may add complements. Nothing is guessed: where another
word stands in between, the subject is a wrong one and will not be found in another clause.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_memory.retrieval.analysis import key_of
from lucca_memory.semantic.language.amounts import Amount
from lucca_memory.semantic.language.lexicon import (
    ARTICLES,
    CHANGED,
    CHANGES,
    NAMED_BY,
    PREPOSITIONS,
    REACHES,
    SETTLED,
    TRANSPARENT,
    UNITS_OF_TIME,
    root_of,
)
from lucca_memory.semantic.language.reading import COPULAS, NO_WORD, Reading, Word
from lucca_memory.words import word_set

SPARED = frozenset(
    ['about', 'around', 'roughly', 'just', 'now', 'already', 'a', 'an', 'the', 'total', 'nearly', 'almost', 'exactly']
)
"""Words that may stand before an amount."""
SUBJECTS = frozenset(['i', 'we', "i'm", "we're", "i've", "we've"])
DETERMINERS = ARTICLES | {'this', 'that', 'these', 'those'}
ADVERBS = word_set('neutral_adverbs')
_PRONOUNS = SUBJECTS | {'he', 'she', 'they', 'you', 'it', 'who'}
_HELPERS = COPULAS | {'been', 'has', 'have', 'had', 'will', 'got', 'get', 'gets'}
_AUXILIARIES = (_HELPERS - COPULAS) | {'not', 'might', 'may', 'can', 'could', 'should', 'would', 'must', 'do', 'did'}
_LINKS = (
    PREPOSITIONS | _HELPERS | ADVERBS | {'up', 'down', 'back', 'forward', 'it', 'which', 'a', 'an', 'the', 'due'}
) - {"i'm", 'am'}
_COMPLEMENTS = frozenset(['of', 'for', 'in', 'at', 'on', 'with', 'near', 'from', 'and'])
_MOMENTS = frozenset(['date', 'time'])
_MEASURES = frozenset(['price', 'begins', 'ends', 'departs', 'arrives', 'length', 'weight', 'size', 'height'])
_FILLERS = word_set('fillers')
_PERSONS = frozenset(['his', 'her', 'their', 'your'])
_NO_NOUNS = SETTLED | {'instead'}
_PURPOSES = frozenset(['of', 'for'])
_NEW = key_of('new')
_LEAST_GERUND = 6
"""Letters of a word in -ing that may be a noun, as "spring"."""


@dataclass(frozen=True, slots=True)
class Group:
    """A noun phrase: the roots of its words, except the attribute, and the preposition before it."""

    roots: frozenset[int]
    preposition: str


@dataclass(frozen=True, slots=True)
class ValueSubject:
    """What a value is of.

    Attributes:
        attribute: root of the word that names what is measured or planned ("budget", "costs", "rehearsal").
        groups: the noun phrases; the first is the one that the attribute belongs to.
        names: keys of the names in it.
        persons: whose it is, if it is not the speaker's or nobody's: names, or "his".
        owned: it is the speaker's ("my").
        begin: position of its first word; everything before is no part of it.
        noun_end: position after its last word before the value.
        end: position of the first word after the value that is no part of it.
    """

    attribute: int
    groups: tuple[Group, ...]
    names: frozenset[int]
    persons: frozenset[str]
    owned: bool
    begin: int
    noun_end: int
    end: int

    @property
    def thing(self) -> frozenset[int]:
        """The roots that say of which thing the attribute is."""
        return frozenset[int]().union(*(group.roots for group in self.groups))

    def refers_to(self, other: 'ValueSubject', *, surely: bool = False) -> bool:
        """True if this is the subject of an earlier clause, with the same words or fewer.

        Args:
            other: the subject in the earlier clause.
            surely: something else shows that both are the same, so that the attribute alone is enough.
        """
        if self.attribute != other.attribute or self.persons != other.persons or self.names - other.names:
            return False
        mine = self.thing
        if mine - other.thing:
            return False
        for place, group in enumerate(other.groups):
            # "The flat in the old town" may be "the flat" later, but "the fee for adults" is not any fee.
            tied = not place or group.preposition in _PURPOSES or bool(group.roots & mine)
            if tied and group.roots - mine:
                return False
        return bool(mine or self.names) or surely


def subject_of(reading: Reading, value: Amount, amounts: Sequence[Amount]) -> ValueSubject | None:
    """What a value is of; None if no word says that.

    Args:
        reading: the clause.
        value: one of its amounts.
        amounts: all of them.
    """
    words = reading.words
    at, verb = _noun_before(words, value, amounts)
    noun_end = at + 1
    spans, begin = _spans(words, at)
    behind, end = _behind(words, value, amounts)
    first = _head(words, spans, behind, verb)
    if first is None:
        return None
    attribute, order = first
    region = [words[place] for place in (*range(begin, noun_end), *range(value.end, end))]
    persons = {word.lower for word in region if word.lower in _PERSONS}
    persons |= {word.lower for word in region if word.type == 'name' and word.text.endswith(("'s", 's’', "s'"))}
    return ValueSubject(
        attribute=attribute,
        groups=tuple(Group(_roots(words, span) - {attribute}, _preposition(words, span[0])) for span in order),
        names=frozenset(word.key for word in region if word.type == 'name'),
        persons=frozenset(persons),
        owned=any(word.lower in ('my', 'our') for word in region),
        begin=begin,
        noun_end=noun_end,
        end=end,
    )


def is_link(word: Word) -> bool:
    """True for a word that only links a subject to its value."""
    return word.lower in _LINKS | SETTLED | CHANGED or word.stem in CHANGES | REACHES


Span = tuple[int, int]


def _noun_before(words: Sequence[Word], value: Amount, amounts: Sequence[Amount]) -> tuple[int, int]:
    """The position of the last word before a value that does more than link, and the root of a verb that names the
    attribute (0: none)."""
    at, verb = value.first - 1, 0
    while at >= 0 and words[at].lower in SPARED:
        at -= 1
    if at >= 0 and words[at].lower.endswith('ing') and words[at].key:
        # "Spending 200 euros on seeds".
        at, verb = at - 1, words[at].key
    while at >= 0:
        inside = next((amount for amount in amounts if amount.first <= at < _end_with_units(words, amount)), None)
        if inside is not None:
            at = inside.first
        elif words[at].lower in NAMED_BY and not verb:
            verb = root_of(NAMED_BY[words[at].lower])
        elif _is_measuring(words, at) and not verb:
            # "Starts on" says no more of an event than "is on".
            verb = 0 if words[at].attribute == 'begins' and value.type in _MOMENTS else words[at].key
        elif not is_link(words[at]):
            break
        at -= 1
    return at, verb


def _end_with_units(words: Sequence[Word], amount: Amount) -> int:
    end = amount.end
    while end < len(words) and words[end].key in amount.units:
        end += 1
    return end


def _spans(words: Sequence[Word], at: int) -> tuple[list[Span], int]:
    """The noun phrases that end with the noun at a position, the leftmost first, and where they begin."""
    spans: list[Span] = []
    begin = at + 1
    while at >= 0 and _is_noun(words, at):
        end = at + 1
        while at >= 0 and _is_noun(words, at):
            at -= 1
        spans.insert(0, (at + 1, end))
        begin = at + 1
        while at >= 0 and words[at].lower in DETERMINERS:
            begin, at = at, at - 1
        if at < 1 or words[at].lower not in _COMPLEMENTS or not _is_noun(words, at - 1):
            break
        at -= 1
    return spans, begin


def _behind(words: Sequence[Word], value: Amount, amounts: Sequence[Amount]) -> tuple[list[Span], int]:
    """The noun phrases that follow a value as complements, and the position after them."""
    at, spans = value.end, list[Span]()
    while at < len(words) and (
        words[at].key in value.units
        or words[at].lower in UNITS_OF_TIME | TRANSPARENT | _FILLERS | {'a', 'per', 'euros', 'dollars', 'pounds'}
    ):
        if words[at].lower in ('now', 'currently'):
            return spans, at
        at += 2 if words[at].lower == 'per' else 1
    at = min(at, len(words))
    while at < len(words) and words[at].lower in PREPOSITIONS:
        after = at + 1
        while after < len(words) and words[after].lower in DETERMINERS:
            after += 1
        moment = next((amount for amount in amounts if amount.first == after and amount.type in _MOMENTS), None)
        if moment is not None:
            at = moment.end
            continue
        end = after
        while end < len(words) and _is_noun(words, end):
            end += 1
        if end == after:
            break
        spans.append((after, end))
        at = end
    return spans, at


def _head(
    words: Sequence[Word], spans: Sequence[Span], behind: Sequence[Span], verb: int
) -> tuple[int, list[Span]] | None:
    """The attribute, and the noun phrases with the one that it belongs to first."""
    named = [span for span in spans if any(_tells(words[at]) for at in range(*span))]
    rest = [span for span in behind if any(_tells(words[at]) or words[at].type == 'name' for at in range(*span))]
    if verb:
        return verb, [*named, *rest]
    if not named and not (rest and _preposition(words, rest[0][0]) in _PURPOSES):
        return None
    order = [*named, *rest]
    head = next((words[at].key for at in reversed(range(*order[0])) if _tells(words[at])), 0)
    return (head, order) if head else None


def _roots(words: Sequence[Word], span: Span) -> frozenset[int]:
    return frozenset(words[at].key for at in range(*span) if _tells(words[at]))


def _preposition(words: Sequence[Word], begin: int) -> str:
    before = (word.lower for word in reversed(words[:begin]) if word.lower not in DETERMINERS)
    lower = next(before, '')
    return lower if lower in _COMPLEMENTS | PREPOSITIONS else ''


def _tells(word: Word) -> bool:
    return bool(word.key) and not word.type and word.stem not in CHANGES | {_NEW} and word.lower not in _FILLERS


def _is_noun(words: Sequence[Word], at: int) -> bool:
    word = words[at]
    return bool(word.key) and word.type in ('', 'name') and word.lower not in _NO_NOUNS and not _is_verb(words, at)


def _is_verb(words: Sequence[Word], at: int) -> bool:
    """True for "manage" in "to manage" and "we just manage", and for "starting" in "on starting"."""
    before = words[at - 1].lower if at else ''
    gerund = words[at].lower.endswith('ing') and len(words[at].lower) > _LEAST_GERUND
    if before == 'to' or (gerund and before in PREPOSITIONS | COPULAS):
        return not words[at].type
    skipped = ADVERBS | _AUXILIARIES
    left = next((word.lower for word in reversed(words[:at]) if word.lower not in skipped), '')
    return left in _PRONOUNS and not words[at].type


def _is_measuring(words: Sequence[Word], at: int) -> bool:
    """True for a verb that names an attribute: "costs" in "the room costs", but not in "the costs are"."""
    word, after = words[at], (*words[at + 1 :], NO_WORD)[0]
    if word.attribute not in _MEASURES or not word.lower.endswith(('s', 'ed', 'ing')):
        return False
    return after.lower not in _HELPERS and after.stem not in CHANGES
