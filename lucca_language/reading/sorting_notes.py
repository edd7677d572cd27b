"""A reader of notes on what belongs where, such as `Put snacks in the bowl, bedding and other linen on the shelf`.

A note consists of clauses. Each clause is a list of kinds of objects and a place that the scene has. Instead of kinds
there may be examples, as in `put things like “apple” and “pear” in the bowl`. The wording of the kinds is kept, because
the meaning of the words decides what belongs to them. The forms are closed: any text with other parts is not a note and
is left to the reader of descriptions.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lucca_language.reading.clause_state import PLACED
from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.noun_phrase import NounPhrase
from lucca_language.reading.program import Destination, Directive, Program
from lucca_language.reading.selectors import Anything, Noun, Rest, both
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import NUMBER_WORDS
from lucca_language.words.word_sets import any_of

_AS_TOLD = re.compile(r'^as [^,:;.]{1,80} told me[^,:;.]{0,80}[:,]\s*')
"""Who said so; this is understood and asks for nothing."""
_QUOTED = re.compile(r'[“"]([^“”"]{1,80})[”"]')
_QUOTE = re.compile(r'quoted-(\d+)')
_LIKE = re.compile(r'^(?:things|objects|items) (?:like|such as) (?P<examples>.+)$')
_SENTENCE_ENDS = re.compile(r'[.;!\n]+')
_LINK = re.compile(r'^(?:[\s,:]+|(?:and|then|also|please|while|but)\b)+')
_WISH = re.compile(
    r'^(?:(?:could|can|would|will) you (?:please )?|(?:you|we) (?:should|can|must) (?:always )?|'
    r'i(?: always| usually| would like(?: you)? to| want you to| want to| like to)? )'
)
_VERBS = any_of(
    'put place move lay set drop carry transfer stow store deposit stash tuck bring take toss throw keep leave stack '
    'sort arrange organize organise'
)
"""Verbs that begin a clause. Other verbs of putting may also begin a kind, as in `clean clothes`."""
_AWAY = re.compile(r'^(?:away|back)\s+')
_GOES = re.compile(
    r'\s+(?:(?:should|must|always|can|all|shall)\s+)*(?:go(?:es)?|belongs?|lives?|'
    r'(?:be|are|is)(?: (?:put|kept|stored|placed|moved))?)(?: away| back)?$'
)
_EXAMPLES = re.compile(r',?\s+(?:such as|like|including|for example|e\.g\.)\s+')
_ITEM_ENDS = re.compile(r'\s*,\s*(?:(?:and|or|as well as)\s+)?|\s+(?:and|or|as well as|plus)\s+')
_DETERMINER = re.compile(r'^(?:(?:all|any|every|each)(?: of)?\s+)?(?:(?P<definite>the|my|our|your)\s+)?')
_REST_OF = re.compile(r'^(?:other|remaining|another)\s+(?:kinds? of\s+|types? of\s+)?')
_ALL_ELSE = re.compile(
    r'^(?:everything else|anything else|all else|(?:the )?(?:rest|remainder)|the leftovers|(?:all )?(?:the )?others?|'
    r"(?:what(?:ever)?|(?:everything|anything|all) (?:that|which)) (?:is left(?: over)?|remains)|what's left)$"
)
_WORD = re.compile(r"[a-z][a-z'’-]*$")
_FIRST_AID = re.compile(r'\bfirst aid\b')
"""A name, not an order."""
_MOST_WORDS = 6
_NOT_IN_A_KIND = (
    any_of(
        'not no never none nothing only if unless until till when while before after once first last then again it '
        'them they that those these this there here except excluding but than next beside between near in into on onto '
        'inside at to under over you i me us we he she who whose which how why a an some both either neither half '
        'the my our your their his her its with without from off everything anything something whatever '
        'else too also very just so smallest largest biggest order instead '
        'halves third quarter one ones few several most many much more less couple pair'
    )
    | NUMBER_WORDS.keys()
)


@dataclass(frozen=True)
class _Place:
    """A place in a sentence: its name with the preposition, and where its words begin and end."""

    name: str
    relation: str
    start: int
    end: int


def read_note(text: str, places: Sequence[str]) -> Program | None:
    """The note in a text, or None if the text is not a note.

    Args:
        text: the description.
        places: the names of the containers here, in lower case.
    """
    found: list[Directive] = []
    quotes: list[str] = []

    def masked(match: re.Match[str]) -> str:
        quotes.append(match.group(1))
        return f'quoted-{len(quotes) - 1}'

    said = _FIRST_AID.sub('first-aid', _QUOTED.sub(masked, _AS_TOLD.sub('', text.lower().strip())))
    for sentence in _SENTENCE_ENDS.split(said):
        if sentence.strip():
            clauses = _clauses(sentence.strip(), places, quotes)
            if clauses is None:
                return None
            found += clauses
    # With a single place, there is nothing to compare the objects with.
    return Program(tuple(found)) if len({item.target.words for item in found if item.target is not None}) > 1 else None


def _clauses(sentence: str, places: Sequence[str], quotes: Sequence[str]) -> list[Directive] | None:
    named = list(_places_in(sentence, places))
    if not named:
        return None
    place_first = not _without_opening(sentence[: named[0].start])
    edges = [place.start for place in named] + [len(sentence)]
    found = []
    for number, place in enumerate(named):
        begin = place.end if place_first else (named[number - 1].end if number else 0)
        items = _kinds(_without_opening(sentence[begin : edges[number + place_first]]), quotes)
        if not items:
            return None
        target = Destination(tuple(place.name.split()), place.relation)
        found.append(Directive('do', PLACED.lemma, PLACED.senses, tuple(items), target))
    complete = place_first or not sentence[named[-1].end :].strip(' ,?')
    return found if complete else None


def _places_in(sentence: str, places: Sequence[str]) -> Iterator[_Place]:
    """The places after a preposition, by their full name, or by its last word if that is unique."""
    called = {place: place for place in places}
    for place in places:
        last = place.split()[-1]
        if not last.isdigit() and sum(last in other.split() for other in places) == 1:
            called.setdefault(last, place)
    names = '|'.join(re.escape(name) for name in sorted(called, key=len, reverse=True))
    if not names:
        return
    pattern = (
        rf'\b(?P<relation>on top of|into|inside|onto|in|on|at|to)\s+(?:(?:the|my|our|your)\s+)?(?P<name>{names})\b(?!-)'
    )
    for match in re.finditer(pattern, sentence):
        yield _Place(called[match['name']], match['relation'].split()[0], match.start(), match.end())


def _without_opening(text: str) -> str:
    """A clause without its opening: links, a wish, and a verb of putting."""
    said = _WISH.sub('', _LINK.sub('', text).strip())
    first, _, rest = said.partition(' ')
    if first in _VERBS:
        said = _AWAY.sub('', rest)
    return said.strip(' ,:')


def _kinds(text: str, quotes: Sequence[str]) -> list[NounPhrase] | None:
    """The kinds of objects in a list, or its examples; None if one of its parts is neither."""
    if match := _LIKE.match(text):
        named = [part.strip() for part in _ITEM_ENDS.split(match['examples'])]
        return [_example(_QUOTE.sub(lambda found: quotes[int(found[1])], name)) for name in named]
    text = _EXAMPLES.sub(', ', _GOES.sub('', text))
    items = [_kind(part.strip()) for part in _ITEM_ENDS.split(text)]
    return None if None in items else [item for item in items if item is not None]


def _example(name: str) -> NounPhrase:
    noun = Noun(_DETERMINER.sub('', name))
    return NounPhrase(noun, noun, specific=1, text=noun.word, example=True)


def _kind(text: str) -> NounPhrase | None:
    if _ALL_ELSE.match(text):
        return NounPhrase(Rest(), Anything(), universal=True, text=text)
    match = _DETERMINER.match(text)
    definite = match is not None and match['definite'] == 'the'
    said = text[match.end() :] if match is not None else text
    bare = _REST_OF.sub('', said)
    words = bare.split()
    if not 0 < len(words) <= _MOST_WORDS or any(word in _NOT_IN_A_KIND or not _WORD.match(word) for word in words):
        return None
    head = lexicon().singular(words[-1])
    if definite and head not in lexicon().mass and not lexicon().is_category(head):
        return None  # `the apple` and `the rice chips` are particular objects, not kinds
    if any(lexicon().colour(word) for word in words[:-1]) or (head in GENERIC and len(words) == 1):
        return None  # `red fruit` is decided by its colour
    noun = Noun(' '.join([*words[:-1], head]))
    rest = len(bare) < len(said)
    return NounPhrase(both(noun, Rest()) if rest else noun, noun, specific=1, text=bare)
