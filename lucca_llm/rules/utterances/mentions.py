"""What a text may speak of here, in whatever words: things, places and kinds, mistyped or not.

It is read widely, for what is asked about before anything is done; but a colour or a number beside a noun binds.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.english import is_english, is_known
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling
from lucca_llm.rules.prompts.table_view import NUMBERS, TableView

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
_LEAST_LIKENESS = 0.75
"""Of a mistyped word to the word that is meant: `cueb` and `cube` have just that."""
_SHORTEST_SLIP = 3
_LONGEST_NUMBER = 4
"""Letters of a number in dialect or mistyped, behind a noun: `box wan`, `box tow`."""
_OTHERS = re.compile(
    r'\beverything\b|\b(?:the|all|every|each) (?:the )?(?:rest|remaining|remainder|others?)\b|\bthem all\b|'
    r'\ball (?:of )?(?:it|them|that|these|those|this|things|objects|stuff)\b',
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r'\b(?:things?|stuff|objects?|items?|(?:the|that|this|any|first|last|other|same) (?:\w+ )?one|ones|what|whatever|'
    r'(?<!in )which|who|something|anything)\b',
    re.IGNORECASE,
)
_STACKS = re.compile(r'(?<!\ba )(?<!\bthe )\b(?:stack|stacking|pile|piling|build|building)\b(?! of)', re.IGNORECASE)
_IN_NUMBER = (
    r'(?:\b(?:in|into|inside|to|number)\s+(?:the\s+)?|(?:->|=>|:)\s*){}\s*(?:$|[.,;!?)]|\b(?:and|then|please)\b)'
)
"""A number that stands for a place: `then the plum, into one`."""
_BETWEEN_THINGS = FUNCTION_WORDS & {
    'and',
    'or',
    'the',
    'a',
    'an',
    'my',
    'this',
    'that',
    'these',
    'those',
    'both',
    'also',
}

_SUBJECTS = frozenset(
    {'i', 'you', 'u', 'ya', 'ye', 'we', 'they', 'he', 'she', 'it', 'who', "y'all", 'how', 'what', 'even'}
)


@dataclass(frozen=True, slots=True)
class MentionsHere:
    """What a text may speak of.

    Attributes:
        things: the objects of which a word was said: of the name, of a colour, or of a kind to which they belong.
        places: the places of whose name a word was said.
        kinds: words that may stand for a kind of things, such as `toys` and `green things`.
        lists: objects that were named one beside the other, as in `the cup and the mug`.
        means_others: whether it may mean everything, or the rest.
        describes: whether it describes things that it does not name: `the one for driving nails`, not `that thing`.
    """

    things: tuple[ListedObject, ...]
    places: tuple[str, ...]
    kinds: tuple[str, ...]
    lists: tuple[frozenset[str], ...]
    means_others: bool
    describes: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing here is spoken of."""
        return not (self.things or self.places or self.kinds or self.means_others or self.describes)

    def things_meant(self, table: TableView) -> tuple[ListedObject, ...]:
        """The objects that can be meant: those that were mentioned, or any if that is open."""
        return table.objects if self.means_others or self.describes or not self.things else self.things


def mentions_in(said: str, table: TableView) -> MentionsHere:
    """What a text may speak of at a table."""
    words = _Words(said)
    found = {item: at for item in table.objects if (at := words.mentions_of(item, table)) is not None}
    return MentionsHere(
        things=tuple(found),
        places=tuple(place for place in table.places if words.name_place(place, table)),
        kinds=tuple(dict.fromkeys(words.kinds())),
        lists=tuple(words.lists(found)),
        means_others=_OTHERS.search(said) is not None,
        describes=_DESCRIBES.search(said) is not None and words.tell_more(table),
    )


class _Words:
    """The words of a text, as they are and in the singular."""

    def __init__(self, said: str) -> None:
        self._said = said
        self._words: Sequence[str] = _WORD.findall(said.lower())
        self._singulars = [lexicon().singular(word) for word in self._words]
        self._slips = [word for word in self._words if len(word) >= _SHORTEST_SLIP and not _is_word(word)]

    def mentions_of(self, item: ListedObject, table: TableView) -> int | None:
        """The place of the first word that may speak of an object; None if there is none."""
        nouns = lexicon()
        noun = nouns.singular(item.label.lower().split()[-1])
        parts = {nouns.singular(part) for part in item.name.lower().split() if not part.isdigit()}
        parts = {part for part in parts if nouns.colour(part) is None or part == noun}
        colours = {nouns.colour(word) for word in (*item.name.lower().split(), *item.attributes)} - {None}
        here = {nouns.singular(other.label.lower().split()[-1]) for other in table.objects}
        for at, word in enumerate(self._singulars):
            if word == 'can' and self._is_modal(at):
                continue
            is_named = word in parts or bool(self._words[at] in self._slips and _is_like(self._words[at], parts))
            is_kind = word not in here and len(word) >= _SHORTEST_SLIP and nouns.is_a(noun, word)
            if (is_named or is_kind) and self._fits(at, item, colours, table):
                return at
            if (said := nouns.colour(word)) in colours and said is not None and self._stands_alone(at, table):
                return at
        return None

    def name_place(self, place: str, table: TableView) -> bool:
        """Whether the text may speak of a place: by a word of its name, with its number if it has one."""
        *nouns, last = [word for word in place.lower().split() if word not in FUNCTION_WORDS]
        number = last if last.isdigit() and nouns else ''
        nouns = nouns if number else [*nouns, last]
        if 'tower' in nouns and _STACKS.search(self._said) is not None:
            return True
        found = [
            at
            for at, word in enumerate(self._words)
            if self._singulars[at] in nouns or (word in self._slips and _is_like(word, nouns))
        ]
        if not number:
            return bool(found)
        alike = [other for other in table.places if other.lower().split()[:-1] == place.lower().split()[:-1]]
        spelled = '|'.join(word for word, digit in NUMBERS.items() if digit == number)
        is_number = re.search(_IN_NUMBER.format(rf'(?:{number}|{spelled or number})'), self._said, re.IGNORECASE)
        return is_number is not None or any(self._is_numbered(at, number, len(alike) == 1) for at in found)

    def kinds(self) -> Iterator[str]:
        """Words that may stand for a kind."""
        nouns = lexicon()
        for word, noun in zip(self._words, self._singulars, strict=True):
            if nouns.colour(word) is not None:
                yield f'{word} things'
            elif (nouns.is_plural(word) and nouns.knows(noun)) or (
                nouns.is_category(word) and not nouns.is_single_category(word)
            ):
                yield word

    def lists(self, found: dict[ListedObject, int]) -> Iterator[frozenset[str]]:
        """The names of objects that stand beside each other, as in `the cup, my mug and the can`."""
        nouns = lexicon()
        places = list(found.values())
        row: list[str] = []
        before = -1
        for item, at in sorted(found.items(), key=lambda pair: pair[1]):
            if places.count(at) > 1:
                continue  # one word for several
            between = self._words[before + 1 : at]
            if not row or any(word not in _BETWEEN_THINGS and nouns.colour(word) is None for word in between):
                if len(row) > 1:
                    yield frozenset(row)
                row = []
            row.append(item.name)
            before = at
        if len(row) > 1:
            yield frozenset(row)

    def tell_more(self, table: TableView) -> bool:
        """Whether there is a word that is no verb of handling, no name of a place, and no word for anything."""
        idle = FUNCTION_WORDS | GENERIC | {word for place in table.places for word in place.lower().split()}
        return any(
            len(word) >= _SHORTEST_SLIP and word not in idle and noun not in idle and not is_handling(word)
            for word, noun in zip(self._words, self._singulars, strict=True)
        )

    def _is_modal(self, at: int) -> bool:
        """Whether `can` is a verb, as in `you can` and `can you`."""
        return self._word(at - 1) in _SUBJECTS or self._word(at + 1) in _SUBJECTS

    def _fits(self, at: int, item: ListedObject, colours: set[str | None], table: TableView) -> bool:
        """Whether the colours before a noun, and the number behind it, are an object's."""
        said = set(self._colours_before(at))
        if said and colours and not said & colours:
            return False
        number = NUMBERS.get(self._word(at + 1), self._word(at + 1))
        numbered = {other.name.lower() for other in table.objects if other.name.lower().endswith(f' {number}')}
        is_number = number.isdigit() and any(name.split()[-2] == self._singulars[at] for name in numbered)
        return not is_number or item.name.lower() in numbered

    def _colours_before(self, at: int) -> Iterator[str]:
        for word in reversed(self._words[:at]):
            if (colour := lexicon().colour(word)) is not None:
                yield colour
            elif word not in _BETWEEN_THINGS:
                return

    def _stands_alone(self, at: int, table: TableView) -> bool:
        """Whether a colour belongs to no noun behind it: `the red one`, `everything that is green`."""
        nouns = lexicon()
        others = (word for word in self._singulars[at + 1 :] if nouns.colour(word) is None)
        behind = next((word for word in others if word not in _BETWEEN_THINGS), '')
        here = {nouns.singular(part) for item in table.objects for part in item.name.lower().split()}
        return behind in GENERIC or not (behind in here or nouns.knows(behind) or nouns.is_category(behind))

    def _is_numbered(self, at: int, number: str, is_only: bool) -> bool:
        """Whether this number stands before or behind the noun, or a word that may be a mistyped number."""
        behind, before = self._word(at + 1), self._word(at - 1)
        numbers = {NUMBERS.get(behind, behind), NUMBERS.get(before, before) if before in NUMBERS else ''}
        digits = {word for word in numbers if word.isdigit()}
        if digits:
            return number in digits
        is_unclear = behind.isalpha() and len(behind) <= _LONGEST_NUMBER and behind not in FUNCTION_WORDS
        return is_only or (is_unclear and behind in self._unclear_numbers())

    def _unclear_numbers(self) -> list[str]:
        return [*self._slips, *(word for word in self._words if word in ('tow', 'won', 'wan', 'too', 'tree'))]

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ''


def _is_word(word: str) -> bool:
    return is_known(word) or is_english(word)


def _is_like(slip: str, words: Sequence[str] | set[str]) -> bool:
    long_enough = [word for word in words if len(word) > _SHORTEST_SLIP or len(slip) <= _SHORTEST_SLIP + 1]
    is_swapped = any(sorted(slip) == sorted(word) for word in long_enough)
    return is_swapped or bool(get_close_matches(slip, long_enough, n=1, cutoff=_LEAST_LIKENESS))
