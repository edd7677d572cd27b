"""Things that are somebody's, as told: which cube `Mira's cube` is, after `the blue cube belongs to Mira`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lucca_language.reading.reading import read
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.conversation_prompt import ROBOT, ConversationTurn, PromptMemory
from lucca_llm.rules.prompts.table_view import TableView

_OWNED = re.compile(r"\b(?P<owner>my|[a-z]+['’]s)(?P<noun>(?: [a-z-]+){0,3})", re.IGNORECASE)
_CONTRACTED = any_of(
    'it that what who where here there let he she how when why one everybody everyone somebody someone nobody user'
)
"""Words whose `'s` is a verb, or belongs to the name of a place."""
_FOR_WHOM = any_of('children women men')
"""People for whom kinds of things are made, where nobody is meant: `children's books`, but not `the children's`."""
_DETERMINERS = re.compile(r'^(?:(?:my|an?|the|all|both) )+', re.IGNORECASE)
_DETERMINED = re.compile(r'\b(?:the|my|our|his|her|their|your)\s+$', re.IGNORECASE)
_BEHIND = re.compile(r'\s+([^\W_]+)')
_AFTER_IS = re.compile(
    r'(?:\w+ly|\w+ing|been|got|gone|not|an?|the|so|too|very|just|still|never|always|already|back|here|there|'
    r'done|over)$',
    re.IGNORECASE,
)
"""Words before which `'s` is a verb: "the work's finally done"."""
_THINGS = r"(?P<what>(?:the|my|a|an) [a-z][a-z', -]*?|[a-z]+(?: [a-z]+){0,2}?)"
_TOLD = [
    re.compile(form.replace('{what}', _THINGS), re.IGNORECASE)
    for form in (
        r'^{what} (?:belongs? to|is for) (?P<owner>[a-z]+)$',
        r"^{what} (?:is|are)(?: now| actually)? (?P<owner>mine|[a-z]+['’]s)(?: (?P<noun>[a-z-]+))?$",
        r"^(?P<owner>my|[a-z]+['’]s) (?P<noun>[a-z-]+) (?:is|are) {what}$",
        r'^(?P<owner>i|[a-z]+) (?:owns?) {what}$',
        r'^(?:i|[a-z]+) (?:gave|has given|have given) {what} to (?P<owner>[a-z]+)$',
        r"^{what} (?:is|are)(?: not|n't| no longer| never) (?P<denied>mine|[a-z]+['’]s)(?: any ?more)?(?: but .+)?$",
        r"^{what} (?:does|do)(?: not|n't| no longer) belong to (?P<denied>[a-z]+)(?: any ?more)?$",
    )
]
_TOLD_OF_KIND = _TOLD[2]
_LEADING = re.compile(
    r"^(?:(?:please )?(?:remember|note|keep in mind|do not forget|don't forget)(?: that|:)? |"
    r"(?:by the way|and|well|no|sorry|actually|wait|oh|i mean|that(?:'s| is) (?:wrong|not true|not right))[,.:;]? )+",
    re.IGNORECASE,
)
_MOMENT = re.compile(r'\d{4}-\d\d-\d\d(?: \d\d:\d\d)?')
_ME = any_of('my mine me i')
_OF_RELATIVES = re.compile(
    r'^(?:the|my|a|an) [a-z -]+ belongs? to (?:my|our|his|her|their|the) [a-z]+(?: [a-z]+)?[.!]*$', re.IGNORECASE
)
"""Whose a thing is, told in a form that names nobody"""
_NO_NAMES = re.compile(
    r'\b(?:not|no|never|nothing|neither|nor|or|do|does|longer|hardly|only|but|except|rest|others?|everything|anything|'
    r"something|things?|objects?|it|that|this|[a-z]+n't)\b",
    re.IGNORECASE,
)
_ONE = re.compile(r'\bones?\b', re.IGNORECASE)
_AND = re.compile(r',? and |, ', re.IGNORECASE)
_NAMELESS = any_of('one ones thing things object objects item items stuff')
_MASS = any_of('fruit food stuff cutlery crockery clothing laundry rubbish trash equipment tableware furniture')
"""Nouns that mean several things without an ending"""
_ENDS = FUNCTION_WORDS - _NAMELESS
"""Words before which a noun phrase has ended"""


@dataclass(frozen=True)
class OwnedThing:
    """A phrase such as `Mira's cube`.

    `owner` is a name, or empty for the speaker; `noun` is empty in `except Mira's`.
    """

    text: str
    owner: str
    noun: str

    @property
    def is_one(self) -> bool:
        """Whether it is said to be one thing."""
        noun = self.noun.lower().rpartition(' ')[2]
        return bool(noun) and noun not in _MASS and not lexicon().is_plural(noun)

    @property
    def query(self) -> str:
        """What to look up."""
        return f'{self.owner or "my"} {self.noun}'.strip()


def owned_things(said: str, table: TableView) -> list[OwnedThing]:
    """The phrases for somebody's things, except names of things and places that are here.

    `My cup` counts only if several cups are here: where one is, it is meant anyway.
    """
    names = [name.lower() for name in (*(item.name for item in table.objects), *table.places)]
    found = []
    for match in _OWNED.finditer(said):
        owner = re.sub(r"['’]s$", '', match['owner'])
        noun = _noun_in(match['noun'].split(), table)
        is_mine = owner.lower() == 'my'
        behind = _BEHIND.match(said, match.end('owner'))
        if (
            behind is not None
            and _AFTER_IS.match(behind[1])
            and not lexicon().knows(lexicon().singular(behind[1].lower()))
            and not table.named(behind[1])
        ):
            continue
        if owner.lower() in _FOR_WHOM and not _DETERMINED.search(said[: match.start()]):
            continue
        if owner.lower() in _CONTRACTED or any(match['owner'].lower() in name for name in names):
            continue
        if is_mine and (not noun or len(table.fitting(noun)) < 2):
            continue
        if noun and not (table.fitting(noun) or lexicon().knows(lexicon().singular(noun.lower()))):
            continue
        found.append(OwnedThing(f'{match["owner"]} {noun}'.strip(), '' if is_mine else owner, noun))
    return found


def _noun_in(words: Sequence[str], table: TableView) -> str:
    """The noun at the beginning of words, with its adjectives: `red cube` of `red cube in box`; empty for none."""
    names = {word for item in table.objects for word in item.name.lower().split()}
    end = next((number for number, word in enumerate(words) if word.lower() in _ENDS - names), len(words))
    for number in range(end, 0, -1):
        last = lexicon().singular(words[number - 1].lower())
        is_noun = (last in _NAMELESS and (last != 'one' or number > 1)) or last in names or lexicon().knows(last)
        if is_noun and (number == 1 or lexicon().colour(last) is None):
            return ' '.join(words[:number])
    return ''


def told_things(owned: OwnedThing, memories: Iterable[PromptMemory], person: str, table: TableView) -> list[str]:
    """What somebody's thing is by what people told, as noun phrases (`the blue cube`), each once, newest first.

    Only what a person said counts. What was said later, or in the same minute, to be somebody else's does not. Of
    several things that `Mira's cube is …`, the newest counts.
    """
    told = sorted(_all_told(memories, owned.noun), key=lambda item: item.moment, reverse=True)
    owner = (owned.owner or person).lower()
    found: list[_Told] = []
    for item in told:
        things = table.fitting(item.what)
        if item.owner != owner or item.is_denied or not _fits(item.what, owned.noun, table):
            continue
        others = (other for other in told if other.speaks_against(owner) and other.moment >= item.moment)
        if any(other.what == item.what or overlap(things, table.fitting(other.what)) for other in others):
            continue
        if item.is_only and any(other.is_only for other in found):
            continue
        found.append(item)
    return list(dict.fromkeys(what for item in found for what in _narrowed(item.what, owned.noun, table)))


def _narrowed(what: str, noun: str, table: TableView) -> list[str]:
    """What was told, or those of the things that the noun fits: of Mira's `cubes`, her `red cube`."""
    here = table.fitting(what)
    meant = [thing for thing in here if not noun or thing in table.fitting(noun)]
    return [what] if len(meant) == len(here) else [f'the {thing.name}' for thing in meant]


def owners_of(what: str, memories: Iterable[PromptMemory], person: str, table: TableView) -> list[str]:
    """Whose a thing is by what people told, such as `Mira's` or `yours`, newest first; several if they disagree."""
    things = table.fitting(what)
    told = sorted(_all_told(memories, ''), key=lambda item: item.moment, reverse=True)
    told = [item for item in told if overlap(things, table.fitting(item.what))]
    newest = [item for item in told if item.moment == told[0].moment]
    owners = [item.owner for item in newest if not item.is_denied]
    return list(dict.fromkeys('yours' if owner == person.lower() else f"{owner.title()}'s" for owner in owners))


def told_of(text: str, speaker: str) -> list[tuple[str, str]]:
    """Whose things are by a text, as pairs of an owner in lower case and a thing; empty if it says nothing of it."""
    sentences = re.split(r'(?<=[.!?])\s+', text)
    return [(told.owner, told.what) for item in sentences for told in _told(item, speaker.lower(), '')]


def tells_owner(said: str, table: TableView) -> bool:
    """Whether a text only says whose something is: `the blue cube belongs to Mira`, but not `… belongs to box 1`."""
    return not table.place_in(said) and (bool(_told(said, '', '')) or _OF_RELATIVES.match(said.strip()) is not None)


@dataclass(frozen=True)
class _Told:
    """Whose a thing is, as told. `moment` reads `2026-11-20 09:30`; names are in lower case.

    `is_only`: said to be the one thing of its kind, as in `Mira's cube is the blue one`. `is_denied`: said not to be
    the owner's.
    """

    what: str
    owner: str
    moment: str
    is_only: bool
    is_denied: bool

    def speaks_against(self, owner: str) -> bool:
        """Whether it says that the thing is not the owner's, or somebody else's."""
        return (self.owner == owner) == self.is_denied


def _all_told(memories: Iterable[PromptMemory], noun: str) -> list[_Told]:
    found = []
    for memory in memories:
        if memory.kind not in ('said', 'statement') or memory.speaker == ROBOT:
            continue
        moment = _MOMENT.search(memory.source)
        for sentence in re.split(r'(?<=[.!?])\s+', memory.text):
            for told in _told(sentence, memory.speaker.lower(), noun):
                found.append(replace(told, moment=moment.group() if moment else memory.date))
    return found


def _told(sentence: str, speaker: str, noun: str) -> list[_Told]:
    """Whose things are by a sentence; nothing if it says nothing of the kind, or of another kind of thing."""
    text = _LEADING.sub('', sentence.strip()).rstrip('.! ').replace('’', "'")
    for form in _TOLD:
        match = form.match(text)
        if match is None:
            continue
        parts = match.groupdict()
        denied = parts.get('denied')
        named = (denied or match['owner']).lower().removesuffix("'s")
        of_kind, what = parts.get('noun') or '', match['what']
        if named in FUNCTION_WORDS - _ME or lexicon().knows(named):
            continue
        if of_kind and noun and lexicon().singular(of_kind.lower()) != lexicon().singular(noun.split()[-1].lower()):
            continue
        if ' ' not in what:
            if lexicon().colour(what.lower()) is None:
                continue
            what = f'{what} {of_kind}'
        what = _DETERMINERS.sub('', _ONE.sub(of_kind or noun.split(' ')[-1] or 'thing', what))
        is_only = form is _TOLD_OF_KIND and not lexicon().is_plural(of_kind.lower())
        if not _names_things(what):
            continue
        owner = speaker if named in _ME else named
        return [_Told(f'the {part}', owner, '', is_only, denied is not None) for part in _parts(what)]
    return []


def _parts(what: str) -> list[str]:
    """The things of a list, each with its noun: `red cube` and `blue cube` for `red and the blue cube`."""
    parts = [_DETERMINERS.sub('', part) for part in _AND.split(what)]
    last = parts[-1].split()[-1]
    return [f'{part} {last}' if lexicon().colour(part.lower()) is not None else part for part in parts]


def _names_things(what: str) -> bool:
    """Whether words name things, and not what they are not, or some of them: `the not blue`, `the rest`."""
    if _NO_NAMES.search(what):
        return False
    reading = read(f'give me the {what}')
    return not reading.unread and all(item.kind == 'do' for item in reading.program.directives)


def overlap(things: Iterable[ListedObject], others: Sequence[ListedObject]) -> bool:
    """Whether two groups have a thing in common."""
    return any(thing in others for thing in things)


def _fits(what: str, noun: str, table: TableView) -> bool:
    """Whether what was told may be meant by the noun: `the blue cube` by `cube`, or a thing that is not here."""
    here = table.fitting(what)
    return not noun or not here or bool(set(here) & set(table.fitting(noun)))


def with_named_things(turn: ConversationTurn, named: Sequence[tuple[OwnedThing, str]]) -> ConversationTurn:
    """The turn with the owned things said by what they are: `give me the blue cube` for `give me Mira's cube`."""
    said = turn.said
    for owned, what in named:
        said = re.sub(rf'(?:\bthe )?\b{re.escape(owned.text)}\b', what, said, count=1)
    return replace(turn, said=said)
