"""The table as a conversation's prompt lists it: objects with their places, and what words in a sentence refer to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lucca_core.users_view import UsersView
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.glosses import IsA, is_a, kinds_above
from lucca_language.words.lexicon import lexicon
from lucca_llm.prompt_text import LEFT_TO_RIGHT, NEAR_TO_FAR, read_order
from lucca_llm.rules.prompts.prompt_reader import things

ON_TABLE = 'table'
NUMBERS = {'one': '1', 'two': '2', 'three': '3', 'first': '1', 'second': '2', 'third': '3'}
_PLACE = re.compile(r'^In (?P<place>[^:]+): (?P<held>.*)$')
_ON_TABLE = re.compile(r'^Objects on the table: (?P<held>.*)$')
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_EMPTY = re.compile(
    r'\b(?P<which>the|an|any) empty (?P<kind>box|bowl|tray|basket|bin|crate|drawer|shelf)\b', re.IGNORECASE
)
_ALL = re.compile(
    r'\b(?:everything|something|anything|whatever|the rest|all of (?:it|them)|(?:all|every|each|any|both|'
    r'some|other|\d+|two|three)'
    r'(?: of)?(?: the| these| those)?(?: \w+)? (?:things?|objects?|items?|ones?|pieces?))\b',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TableView:
    """The table in a prompt. `places` are the containers; `seen` is false if no table is seen."""

    objects: tuple[ListedObject, ...] = ()
    places: tuple[str, ...] = ()
    seen: bool = False
    seen_by_user: UsersView = field(default_factory=UsersView)

    def named(self, text: str) -> list[ListedObject]:
        """The objects that a text names by their full name or by its noun, in the order of the table."""
        words = _singulars(text)
        whole = [item for item in self.objects if f' {item.name.lower()} ' in f' {" ".join(words)} ']
        nouns = [item for item in self.objects if _singulars(item.label)[-1] in words]
        return whole if len(whole) > len(nouns) or (whole and len(nouns) > len(whole)) else nouns or whole

    def fitting(self, text: str) -> list[ListedObject]:
        """The objects that a noun phrase fits: by name, category, colour, or all of them for `objects`."""
        words = self._content(text)
        colours = {colour for word in words if (colour := lexicon().colour(word)) is not None}
        kinds = [word for word in words if lexicon().colour(word) is None]
        found = [item for item in self.objects if not colours or colours & _colours(item)]
        if not kinds or kinds[-1] in ('object', 'thing', 'item', 'stuff', 'one'):
            return found
        named = [item for item in found if ' '.join(kinds) in (' '.join(_singulars(item.label)), item.name.lower())]
        return named or [item for item in found if _is_kind(item, kinds)]

    def knows(self, text: str) -> bool:
        """Whether a text is or may be about an object here, by name, kind or colour. True if no table is seen."""
        if not self.seen or _ALL.search(text):
            return True
        words = self._content(text)
        return any(
            word in _singulars(item.name)
            or word in item.attributes
            or (lexicon().colour(word) or '-') in _colours(item)
            or lexicon().is_a(_singulars(item.label)[-1], word)
            or _may_be(item, word)
            for word in words
            for item in self.objects
        )

    def _content(self, text: str) -> list[str]:
        """The words that may distinguish objects. If a can is here, "can" counts, although it is also a verb."""
        nouns = {noun for item in self.objects for noun in _singulars(item.label)}
        return [word for word in _singulars(text) if word in nouns or word not in FUNCTION_WORDS]

    def with_empty_places(self, text: str) -> str:
        """The text with the names of empty places, as `box 2` for `the empty box`.

        Raises:
            LookupError: none is empty, or one of several is meant; the message says or asks it.
        """
        filled = {item.place for item in self.objects}
        while (match := _EMPTY.search(text)) is not None:
            free = [place for place in self.places if place.split()[0].lower() == match['kind'].lower()]
            free = [place for place in free if place not in filled]
            if not free:
                raise LookupError(f'I see no {match["kind"].lower()} that is empty')
            if len(free) > 1 and match['which'].lower() == 'the':
                raise LookupError(f'Which one do you mean by “{match.group()}”: {" or ".join(free)}?')
            text = f'{text[: match.start()]}{free[0]}{text[match.end() :]}'
        return text

    def place_in(self, text: str) -> str:
        """The place that a text names with its full name, or else with one of its words; empty for none."""
        words = [NUMBERS.get(word, word) for word in _singulars(text)]
        joined = f' {" ".join(words)} '
        for place in sorted(self.places, key=len, reverse=True):
            if f' {" ".join(_singulars(place))} ' in joined:
                return place
        known = {word: place for place in self.places for word in _singulars(place) if word not in FUNCTION_WORDS}
        return next((known[word] for word in words if word in known and not word.isdigit()), '')


def read_table_lines(lines: Sequence[str]) -> TableView:
    """The table of the lines under `# Table`."""
    objects: list[ListedObject] = []
    places: list[str] = []
    along_cm: dict[str, dict[str, float]] = {}
    seen = False
    for line in lines:
        if match := _ON_TABLE.match(line):
            seen = True
            objects += things(match['held'], ON_TABLE)
        elif match := _PLACE.match(line):
            places.append(match['place'])
            objects += things(match['held'], match['place'])
        elif line.startswith((LEFT_TO_RIGHT, NEAR_TO_FAR)):
            heading, _, row = line.partition(': ')
            along_cm[heading] = read_order(row)
    view = UsersView(along_cm.get(LEFT_TO_RIGHT, {}), along_cm.get(NEAR_TO_FAR, {}))
    return TableView(tuple(objects), tuple(places), seen, view)


def _singulars(text: str) -> list[str]:
    return [lexicon().singular(word) for word in _WORD.findall(text.lower())]


def _colours(item: ListedObject) -> set[str]:
    words = (*_WORD.findall(item.name.lower()), *item.attributes)
    return {colour for word in words if (colour := lexicon().colour(word)) is not None}


def _may_be(item: ListedObject, category: str) -> bool:
    """Whether an object may belong to a category: some count it among that, or the lexicon does not know it."""
    if not lexicon().is_category(category):
        return False
    noun = _singulars(item.label)[-1]
    if any(lexicon().is_a(noun, kind) for kind in lexicon().borderline.get(lexicon().category_of[category], ())):
        return True
    return not lexicon().knows(noun) and (not kinds_above(item.label) or is_a(item.label, category) is not IsA.NOT)


def _is_kind(item: ListedObject, kinds: Sequence[str]) -> bool:
    label = _singulars(item.label)
    wanted = ' '.join(kinds)
    return wanted in (' '.join(label), item.name.lower()) or any(
        lexicon().is_a(noun, kind) or kind == noun
        for kind in (wanted, kinds[-1])
        for noun in (' '.join(label), label[-1])
    )
