"""Deeds that a text may ask for by what it mentions, whatever else is said: things, and where each of them goes.

`Shove they cubes in the second box, will ye` mentions the cubes and box 2. What comes of it is only asked about.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lucca_core.english import and_list, at_place
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.mentions import MentionsHere, mentions_in
from lucca_llm.rules.utterances.plain_requests import EVERYTHING, GIVE, POINT, PUT

_PARTS = re.compile(r'[.,;:!?…–—()\[\]{}"]+|\s-+\s|[-=]+>|\+=|\b(?:and|then|plus)\b|\s[&+]\s', re.IGNORECASE)
_TO_ME = re.compile(
    r'(?<!let )(?<!tell )(?<!for )\b(?:me|us|gimme)\b|\bmy hands?\b|\b(?:i|we) (?:want|need|fancy)\b|'
    r"\b(?:i|we)(?:'d| would) (?:want|need|like|fancy|love)\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(r'\b(?:point|show|indicate)\b', re.IGNORECASE)
_TAKES_OUT = re.compile(
    r'\b(?:but|except|others?|rest|only|just|same|half|some|one of|any of|nothing|order|non|next to|beside|near\w*|'
    r"clos\w+|between|behind|left|right|front|far\w*|furthest|middle|top|bottom|until|times)\b|n't\b",
    re.IGNORECASE,
)
"""Words by which less is meant than what is mentioned, or something told by its place."""
_ALL_OF = (
    r"\b(?:everything|anything|whatever|all|every|each)(?:'s)?(?: (?:the|that|which|is|are|of|that's|things?))* {}\b"
)
"""How all things of a colour are spoken of: `everything that is green`, but not `all cubes except the green one`."""
_EVERYTHING = re.compile(r"\beverything\b(?! (?:that|which|with|of|in|on|to|you|i|we|is|'s)\b)", re.IGNORECASE)
_OF_A_COLOUR = ' things'
_DOES_ELSE = re.compile(
    r'\b(?:pour|open|clos|cut|slic|peel|wash|clean|wip|throw|cook|fill|switch|turn|break|smash|juggl|eat|drink|charg|draw|'
    r'read|play|sing|danc|walk|fold|sharpen|flip|spin|shak|mix|stir|swap|exchang|rotat|tilt|screw|unscrew|light|plug|'
    r'weigh|measur|count|hid|find|wrap|tie|glue|paint|kick|drop)(?:e|es|s|ing|d|ed|t?ing)?\b',
    re.IGNORECASE,
)
"""Verbs of what no robot at a table does, or not by putting things somewhere."""
_MOST_PARTS = 12


@dataclass
class _Deed:
    where: str
    things: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        things = and_list(list(dict.fromkeys(self.things)))
        return f'{self.where} {things}.' if self.where in (GIVE, POINT) else f'{PUT} {things} {self.where}.'


def mentioned_deeds(said: str, table: TableView) -> str:
    """A text as plain requests; empty if it is not clear which things go where, or if anything is taken out."""
    parts = [part for part in _PARTS.split(said) if part and part.strip()]
    if _TAKES_OUT.search(said) or _DOES_ELSE.search(said) or len(parts) > _MOST_PARTS:
        return ''
    try:
        deeds = list(_deeds(parts, table))
    except LookupError:
        return ''
    return ' '.join(deed.text for deed in deeds)


def _deeds(parts: list[str], table: TableView) -> Iterator[_Deed]:
    """The deeds of the parts of a text.

    Raises:
        LookupError: something is mentioned without saying where it goes, or a place without a thing.
    """
    waiting: list[str] = []
    begun: _Deed | None = None
    for part in parts:
        mentions = mentions_in(part, table)
        things, where = list(_things(part, mentions, table)), _where(part, mentions)
        if waiting and things and is_handling(part.split()[0].lower()):
            raise LookupError(f'nothing says where {and_list(waiting)} goes')
        if where and (things or waiting):
            if begun is not None and begun.things:
                yield begun
            elif begun is not None:
                raise LookupError(f'nothing says what goes {begun.where}')
            begun = _Deed(where, [*waiting, *things])
            if waiting or not _is_first(part, things, where):
                yield begun
                begun = None
            waiting = []
        elif where:
            if begun is not None and begun.things:
                yield begun
            begun = _Deed(where)
        elif things and begun is not None:
            begun.things += things
        else:
            waiting += things
    if waiting or (begun is not None and not begun.things):
        raise LookupError('something is left over')
    if begun is not None:
        yield begun


def _is_first(part: str, things: list[str], where: str) -> bool:
    """Whether a part tells where before it tells what: `box 2 for the cup`, `hand me the cup`."""
    noun = things[0].split()[-1].lower() if things else ''
    place = where.split()[-1].lower() if where not in (GIVE, POINT) else ''
    at = part.lower().find(place) if place else 0
    return at < part.lower().find(noun) if noun in part.lower() else bool(where in (GIVE, POINT))


def _where(part: str, mentions: MentionsHere) -> str:
    """Where things go: `in box 1`, or the verb of a plain request for the person; empty if the part does not say."""
    places = [place for place in mentions.places if not place.endswith('side')]
    if len(places) > 1:
        raise LookupError(f'{and_list(places)} are named at once')
    if _SHOWS.search(part) is not None:
        return POINT
    if places:
        return at_place(places[0])
    return GIVE if _TO_ME.search(part) is not None else ''


def _things(part: str, mentions: MentionsHere, table: TableView) -> Iterator[str]:
    """The things of a part, as phrases of plain requests.

    Raises:
        LookupError: one of several is meant, and nothing says which.
    """
    colours = [kind for kind in mentions.kinds if kind.endswith(_OF_A_COLOUR)]
    if mentions.means_others and not colours:
        if _EVERYTHING.search(part) is None:
            raise LookupError('it is not clear what all is')
        yield EVERYTHING
        return
    covered: set[str] = set()
    for kind in mentions.kinds:
        members = {item.name for item in table.fitting(kind)}
        if members and (kind not in colours or _takes_all(kind.removesuffix(_OF_A_COLOUR), part)):
            covered |= members
            yield f'all the {kind}'
    rest = [item for item in mentions.things if item.name not in covered]
    if len(rest) + bool(covered) > 1:
        raise LookupError(f'nothing joins {and_list([item.name for item in rest])}')
    words = [lexicon().singular(word) for word in re.findall(r'\w+', part.lower())]
    for item in rest:
        alike = [other for other in mentions.things if other is not item and _noun(other) == _noun(item)]
        if alike and not _is_told_apart(item, words):
            raise LookupError(f'one of several is meant, such as the {item.name}')
        yield f'the {item.name}'


def _takes_all(colour: str, part: str) -> bool:
    return re.search(_ALL_OF.format(re.escape(colour)), part, re.IGNORECASE) is not None


def _noun(item: ListedObject) -> str:
    return lexicon().singular(item.label.lower().split()[-1])


def _is_told_apart(item: ListedObject, words: list[str]) -> bool:
    """Whether more of a thing is said than its noun."""
    return not {*item.name.lower().split(), *item.attributes}.isdisjoint({*words} - {_noun(item)})
