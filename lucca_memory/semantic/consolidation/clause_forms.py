"""The forms of a statement: what is left of its wording once the ways to say exactly the same are evened out.

Two statements say the same if they have a form in common. A form keeps every word that may set facts apart, in its
place: names, numbers, units, prepositions, denials, owners, tenses. So there is no list of words that matter; there are
only a few wordings that are evened out, and each needs all other words to agree.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lucca_memory.retrieval.analysis import key_of
from lucca_memory.retrieval.dates import MONTHS, WEEKDAYS
from lucca_memory.semantic.language.lexicon import (
    CLASS_OF,
    INSCRIBED,
    MOST_READ,
    NUMBERS,
    PREPOSITIONS,
    ROLES,
    UNITS_OF_TIME,
    root_of,
)
from lucca_memory.semantic.language.reading import without_aside
from lucca_memory.words import word_set

Tokens = tuple[str, ...]
Form = tuple[object, ...]

# Signs before and behind a number or word belong to it ("-5", "C++"); any other sign stands for itself.
_TOKEN = re.compile(r"[+\-#$€£]*\w(?:[\w.,:/@%$€£'+-]*\w)?[%$€£°+#]*|[^\s\w.,;:!\"'“”„‘()\[\]…–—-]")
_SIGNS = str.maketrans({'’': "'", '−': '-'})
_SKIPPED, _OPENINGS = word_set('skipped'), word_set('openings')
_QUANTITIES = frozenset(['few', 'little', 'lot', 'bit', 'couple'])
_TIMES_OF = frozenset(['once', 'twice', 'thrice'])
_IS, _WAS = '=', '=was'
_BE = {'is': _IS, 'are': _IS, 'am': _IS, 'was': _WAS, 'were': _WAS}
_SHORT = {f"{who}'{end}": (who, _IS) for who, end in (('i', 'm'), ('we', 're'), ('you', 're'), ('they', 're'))}
_HAVE = frozenset(['has', 'have'])
_OWN = frozenset(['its', 'their', 'his', 'her'])
_WHERE = frozenset(['on', 'at', 'in', 'near'])
_LEADERS = frozenset(['chair', 'lead', 'head', 'host', 'captain', 'coach', 'sponsor', 'mentor', 'tutor', 'guide'])
_MUTUAL = frozenset(['share', 'shares', 'shared'])
_HELD_TOGETHER = frozenset(
    ['flat', 'apartment', 'house', 'home', 'room', 'bedroom', 'kitchen', 'office', 'desk', 'car', 'birthday']
)
"""What is shared without a direction. Whoever shares a secret or a meal with somebody gives it."""
_HOMES, _LIVES = frozenset(['home', 'residence']), frozenset(['lives', 'resides'])
_CALENDAR = {*MONTHS, *WEEKDAYS} - {'may', 'mar', 'sun', 'sat', 'march'}
_PER = 'per'
_MOST_TOKENS = 40
"""Longer texts are compared as they are: they say more than one thing, and their forms would take much room."""


@lru_cache(maxsize=MOST_READ)
def forms_of(text: str) -> frozenset[Form]:
    """The forms of a text; empty for one without words."""
    tokens = _tokens(text)
    if not tokens:
        return frozenset()
    found: set[Form] = {('words', tokens)}
    if len(tokens) > _MOST_TOKENS:
        return frozenset(found)
    places = [at for at, token in enumerate(tokens) if token in (_IS, _WAS)]
    if len(places) == 1 and 0 < places[0] < len(tokens) - 1:
        found.update(_state(tokens[: places[0]], tokens[places[0]], tokens[places[0] + 1 :]))
    if not places:
        found.update(_deed(tokens))
    for form in [*found]:
        if form[0] == 'value':
            found.update(_deeds_for(*form[1:]))  # type: ignore[arg-type]
    return frozenset(found)


@lru_cache(maxsize=MOST_READ)
def cases_of(text: str) -> frozenset[tuple[str, str]]:
    """The words behind the first, as written and in lower case: "polish", "Polish"."""
    words = [match[0] for match in _TOKEN.finditer(without_aside(text.translate(_SIGNS)))]
    return frozenset((word.lower(), word) for word in words[1:])


def _tokens(text: str) -> Tokens:
    text = without_aside(text.translate(_SIGNS).strip())
    said = [match[0] for match in _TOKEN.finditer(text)]
    words = [_written(token) for token in said]
    while len(words) > 2 and words[0] in _OPENINGS:
        said, words = said[1:], words[1:]
    # "The gala will be on Tuesday" says what "is on Tuesday" says; "I will be a nurse" does not.
    planned = any(map(_is_time, words))
    tokens: list[str] = []
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ''
        if word in ('a', 'an', 'each', 'every', _PER) and after in UNITS_OF_TIME:
            tokens.append(_PER)
        elif word in ('the', 'a', 'an') and after and after not in _QUANTITIES and not (said[at] == 'A' and at):
            continue
        elif word in _SHORT:
            tokens.extend(_SHORT[word])
        elif word == 'be' and tokens[-1:] == ['will'] and planned:
            tokens[-1] = _IS
        elif word not in _SKIPPED:
            tokens.append(_BE.get(word, word))
    return _time_last(tuple(tokens))


def _written(token: str) -> str:
    """In lower case, but codes and passwords as they are; numbers in digits."""
    if any(map(str.isupper, token[1:])) and not token.isupper():
        return token
    if any(map(str.isdigit, token)) and any(map(str.isalpha, token)):
        return token
    lower = token.lower()
    return lower if lower in _TIMES_OF else NUMBERS.get(lower, lower)


def _is_time(token: str) -> bool:
    return token in _CALENDAR or token in ('may', 'march') or any(map(str.isdigit, token))


def _is_when(tokens: Sequence[str]) -> bool:
    """True for "on 3 May", "at 9:30" and "per month"."""
    if len(tokens) < 2:
        return False
    if tokens[0] == _PER:
        return len(tokens) == 2
    return tokens[0] in PREPOSITIONS and all(map(_is_time, tokens[1:]))


def _time_last(tokens: Tokens) -> Tokens:
    """ "On Friday Paula eats fish" as "Paula eats fish on Friday"."""
    end = max((end for end in range(2, min(5, len(tokens))) if _is_when(tokens[:end])), default=0)
    return (*tokens[end:], *tokens[:end])


def _state(before: Tokens, copula: str, behind: Tokens) -> Iterator[Form]:
    """The forms of "X is Y", also said as "Y is X"."""
    if behind == ('married',) and before.count('and') == 1:
        at = before.index('and')
        yield _mutual((copula, *behind), before[:at], before[at + 1 :])
    if behind[:2] == ('married', 'to'):
        yield _mutual((copula, *behind[:1]), before, behind[2:])
    yield ('state', copula, frozenset([before, behind]))
    yield from _active(before, copula, behind)
    if copula == _IS:
        for thing, name in _of(before):
            yield ('value', thing, name, behind)
        for thing, name in _of(behind):
            yield ('value', thing, name, before)


def _active(before: Tokens, copula: str, behind: Tokens) -> Iterator[Form]:
    """ "Clara bought a lamp" and "Clara has bought a lamp" for "A lamp was bought by Clara"."""
    at = behind.index('by') if 'by' in behind[1:-1] else 0
    if not at or _is_time(behind[at + 1]):
        return
    ends = next((end for end in range(at + 2, len(behind)) if behind[end] in PREPOSITIONS), len(behind))
    agent, rest = behind[at + 1 : ends], (*behind[1:at], *behind[ends:])
    if copula == _WAS:
        for verb in ((behind[0],), ('has', behind[0]), ('have', behind[0])):
            yield ('words', (*agent, *verb, *before, *rest))
    elif not rest and key_of(behind[0]) in ROLES:
        yield ('role', root_of(behind[0]), agent, before)


def _deed(tokens: Tokens) -> Iterator[Form]:
    """The forms of a sentence without "is" or "was"."""
    for at in range(1, len(tokens) - 1):
        subject, verb, rest = tokens[:at], tokens[at], tokens[at + 1 :]
        if verb in _MUTUAL and 'with' in rest[1:-1]:
            split = len(rest) - 1 - rest[::-1].index('with')
            if rest[split - 1] not in _HELD_TOGETHER or _OWN & {*rest[:split]}:
                continue
            yield _mutual((verb, *rest[:split]), subject, rest[split + 1 :])
        if verb in _HAVE:
            yield from _had(subject, rest)
        if verb in _LIVES and rest[0] == 'in':
            yield ('lives', subject, rest)
        if verb.endswith('s') and _is_when(rest):
            yield ('happens', root_of(verb), subject, rest)
        if verb.endswith('s') and key_of(verb) in ROLES and not PREPOSITIONS & {*subject, *rest}:
            yield ('role', root_of(verb), subject, rest)
        value = _behind_link(verb, rest)
        for thing, name in _of(subject) if value else ():
            yield ('value', thing, name, value)


def _mutual(what: Tokens, one: Tokens, other: Tokens) -> Form:
    return ('mutual', what, frozenset([one, other]))


def _had(subject: Tokens, rest: Tokens) -> Iterator[Form]:
    """ "The budget of the gala is 90 euros" for "The gala has a budget of 90 euros"."""
    if rest[0] in _OWN:
        yield from _where_own(subject, rest)
        at = len(rest) - 1 - rest[::-1].index('by') if 'by' in rest[3:-1] else 0
        if at:
            # "The club has its maps made by Baxter."
            yield ('state', _IS, frozenset([(*rest[1 : at - 1], 'of', *subject), rest[at - 1 :]]))
        return
    split = rest.index('of') if 'of' in rest[1:-1] else 0
    if split and _is_code(rest[split + 1]):
        yield ('value', subject, rest[:split], rest[split + 1 :])
    elif not PREPOSITIONS & {*rest} and len(rest) > 1:
        if _is_code(rest[0]):
            yield ('value', subject, rest[1:], rest[:1])
        elif _is_code(rest[-1]):
            yield ('value', subject, rest[:-1], rest[-1:])


def _where_own(subject: Tokens, rest: Tokens) -> Iterator[Form]:
    """ "The office of the club is in Bonn" for "The club has its office in Bonn"."""
    at = next((place for place in range(2, len(rest) - 1) if rest[place] in PREPOSITIONS), 0)
    if at and rest[at] in _WHERE:
        yield ('value', subject, rest[1:at], rest[at:])


def _of(tokens: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    """The thing and the name of "the budget of the gala" and "the gala's budget"."""
    if 'of' in tokens[1:-1]:
        at = tokens.index('of')
        if not PREPOSITIONS & {*tokens[:at]}:
            yield tokens[at + 1 :], tokens[:at]
    at = next((place for place, token in enumerate(tokens[:-1]) if token.endswith("'s")), -1)
    if at >= 0 and not PREPOSITIONS & {*tokens}:
        yield (*tokens[:at], tokens[at].removesuffix("'s")), tokens[at + 1 :]


def _behind_link(verb: str, rest: Tokens) -> Tokens:
    """The value behind a verb that means "is" there; empty for another verb."""
    if verb in INSCRIBED - {'features'} or (verb == 'number' and _is_code(rest[0])):
        return rest
    if verb in ('come', 'comes', 'fall', 'falls') and rest[0] in PREPOSITIONS:
        return rest
    if verb in ('takes', 'take') and rest[0] == 'place' and len(rest) > 2 and rest[1] in PREPOSITIONS:
        return rest[1:]
    if verb == 'has' and rest[0] in ('label', 'number', 'code') and len(rest) == 2 and _is_code(rest[1]):
        return rest[1:]
    return ()


def _deeds_for(thing: Tokens, name: Tokens, value: Tokens) -> Iterator[Form]:
    """ "Ada chairs the forum" for "The chair of the forum is Ada", and the like; not for "The trainee of Ada is"."""
    if len(name) != 1:
        return
    word = name[0]
    if value[0] == 'in' and word in _HOMES:
        yield ('lives', thing, value)
    is_event = word.endswith(('ion', 'ions', 'al', 'als', 'ing', 'ery')) or CLASS_OF.get(key_of(word)) in (
        'begins',
        'ends',
    )
    if _is_when(value) and is_event:
        yield ('happens', root_of(word), thing, value)
    leads = word in _LEADERS or (word.endswith(('er', 'or')) and key_of(word) != root_of(word))
    if leads and value[0] not in PREPOSITIONS:
        yield ('role', root_of(word), value, thing)


def _is_code(token: str) -> bool:
    return any(map(str.isdigit, token))
