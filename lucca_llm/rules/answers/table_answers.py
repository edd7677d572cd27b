"""Answers to questions about the table: where a thing is, what is in a place, how many there are."""

import re
from collections.abc import Sequence

from lucca_core.english import and_list, at_place
from lucca_language.reading.reading import read
from lucca_language.reading.selectors import Knowledge, ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView
from lucca_llm.rules.space.told_by_place import by_its_neighbour

_SEES = re.compile(
    r'\b(?:what|which (?:objects|things)) (?:do|can|are|is) you(?:r)? (?:see|seeing|looking at)\b|'
    r"\bwhat(?:'s| is| are| lies| stands| objects are| things are)?(?: there| left| still| else)* on (?:the|your) "
    r'table\b|'
    r'\bwhich (?:objects|things) (?:are|do you see|can you see|lie)\b|\bwhat is (?:in front of|before) you\b',
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\bwhere(?:'s|'re| is| are| did you (?:put|leave|place|lay|move)| have you (?:put|left|placed)|"
    r' can i find| lies| do you '
    r'see)\s+(?P<what>.+)$',
    re.IGNORECASE,
)
_WHERE_INDIRECT = re.compile(
    r'\bwhere (?P<what>(?:the|a|an|all) .+?) (?:is|are|lies|lie|might be)(?: now)?$', re.IGNORECASE
)
_WHICH_PLACE = re.compile(
    r'\b(?:which|what) (?:box|container|place)(?: is| has| holds| contains)?\s+(?P<what>.+?)(?: in)?$', re.IGNORECASE
)
_CONTENTS = re.compile(
    r"\bwhat(?:'s| is| are| lies| lie| do you have| else is| objects are| things are| have you put|"
    r' did you put)?(?: there)?'
    r'(?: now| lying)? (?:in|inside|on|into|within)\s+(?P<place>.+)$|'
    r'\bwhat (?:does|do|has|have) (?P<holder>.+?) (?:hold|contain|have in it|got in it|in it|inside)\b',
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r'\bis (?P<place>.+?) (?:still |now )?(?:empty|full)\b|\bis (?:there )?(?:anything|something) (?:in|'
    r'inside|on) (?P<inside>.+)$',
    re.IGNORECASE,
)
_COUNT = re.compile(
    r'\bhow many (?P<what>.+?)(?:\s+(?:are|is|do|can|lie|lies|stand|there|in|inside|on|have|has|does)\b(?P<rest>.*))?$',
    re.IGNORECASE,
)
_THERE = re.compile(
    r'^(?:is|are) there (?:still )?(?:a |an |any |some |the )?(?P<what>.+?)(?: (?:in|inside|on) (?P<place>.+))?$|'
    r'^(?:(?:do|can) you )?(?:still )?see (?:a |an |any |some |the )?(?P<seen>.+)$',
    re.IGNORECASE,
)
_WHICH_ARE = re.compile(
    r'^(?:which|what) (?P<what>[a-z-]+)(?: (?:here|on (?:the|your) table))? (?:is|are) (?P<quality>[a-z-]+)$',
    re.IGNORECASE,
)
_WHICH_EMPTY = re.compile(
    r'^(?:which|what) (?:box|boxes|container|containers|place|places) (?:is|are) (?:still |now )?empty$', re.IGNORECASE
)
_EMPTY_ONE = re.compile(
    r'^(?:(?:is|are) there (?:still )?(?:an?|any|some|one)(?: more)? empty (?P<kind>[a-z]+)|'
    r'(?:is|are) (?:any|one|some|all|both|none)(?: of)?(?: the| these)? (?P<kind2>[a-z]+) (?:still |now )?empty|'
    r'do you (?:have|see) (?:an?|any|some) empty (?P<kind3>[a-z]+))(?: left| now| here| there)?$',
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^(?:which|what) (?P<what>[a-z' -]+?) (?:(?:is|are|lies|lie|stand|stands|remains?)|(?:do|can) you see)(?: there)?"
    r'(?: still| now| left| already)*(?: (?P<relation>in|inside|on) (?P<place>.+?))?(?: now| already)?$',
    re.IGNORECASE,
)
_ON_THE_TABLE = re.compile(r' on (?:the|your|this) table\b', re.IGNORECASE)
_IS_IN = re.compile(
    r'^(?:is|are|isn\'t|aren\'t) (?P<what>(?:the|all|every|both) .+?) (?:still |now |already )?(?:in|'
    r'inside|on) (?P<place>.+)$',
    re.IGNORECASE,
)
_COLOUR = re.compile(r'\b(?:what|which) colou?r (?:is|are|has|have) (?P<what>.+)$', re.IGNORECASE)
_YOU = re.compile(r'(?:you|i|we|he|she|they)\b.*', re.IGNORECASE)
_OWN = re.compile(r'\b(?:my|our|his|her|their|\w+[\'’]s)\b', re.IGNORECASE)
_ARTICLE = re.compile(r'^(?:the|a|an|any|all|some|both)\s+', re.IGNORECASE)
_DEED = re.compile(
    r'\b(?:did|have|has|had) (?:you|i|we|anybody|anyone|somebody|someone)\b|'
    r'\bdo(?:es)? (?:i|we|he|she|they|\w+) (?:have|own)\b',
    re.IGNORECASE,
)


def answer_about_table(asked: str, table: TableView, lines: Sequence[str]) -> str | None:
    """The answer from what is seen; None if the question is about something else or about nothing that is here."""
    if not table.seen:
        return None
    asked = asked.strip().rstrip('?!. ')
    if (of_quality := _which_are(asked, table)) is not None:
        return of_quality
    if _SEES.search(asked):
        listed = [line for line in lines if not line.startswith(('From ', 'from '))]
        return f'I see this. {". ".join(line.rstrip(".") for line in listed)}.'
    for rule in (_empty_place, _contents, _is_empty, _count, _is_in, _is_there, _which, _colour, _where):
        found = rule(asked, table)
        if found is not None:
            return found
    return None


_LISTED = re.compile(r',\s*(?:and\s+)?|\s+and\s+', re.IGNORECASE)
"""Between the things of a list."""


def _where(asked: str, table: TableView) -> str | None:
    match = _WHERE.search(asked) or _WHERE_INDIRECT.search(asked) or _WHICH_PLACE.search(asked)
    if match is None or _OWN.search(match['what']) or _YOU.fullmatch(match['what'].strip()):
        return None
    of_parts = [table.fitting(_bare(part)) for part in _LISTED.split(match['what'])]
    if len(of_parts) > 1 and all(of_parts):
        items = list(dict.fromkeys(item for part in of_parts for item in part))
    else:
        items = table.fitting(_bare(match['what'])) or table.named(match['what'])
    told = [
        f'{_the(item)} is {at_place(item.place)}{by_its_neighbour(item.name, table) if item.place == ON_TABLE else ""}'
        for item in items
    ]
    return f'{_and(told)}, as I see it now.' if items else None


def _contents(asked: str, table: TableView) -> str | None:
    match = _CONTENTS.search(asked)
    if match is None:
        return None
    place = table.place_in(match['place'] or match['holder'])
    return _held(place, table) if place else None


def _is_empty(asked: str, table: TableView) -> str | None:
    match = _EMPTY.search(asked)
    place = table.place_in(match['place'] or match['inside']) if match is not None else ''
    if not place:
        return None
    held = [item for item in table.objects if item.place == place]
    return _held(place, table) if held else f'{_capital(place)} is empty, as I see it now.'


def _empty_place(asked: str, table: TableView) -> str | None:
    held = {item.place for item in table.objects}
    empty = [place for place in table.places if place not in held]
    if match := _EMPTY_ONE.match(asked):
        kind = lexicon().singular((match['kind'] or match['kind2'] or match['kind3']).lower())
        known = [place for place in table.places if kind in ('place', 'container', place.lower().split()[0])]
        of_kind = [place for place in known if place in empty]
        if not known:
            return None
        yes = 'Yes' if of_kind and (len(of_kind) == len(known) or not re.search(r'\b(?:all|both)\b', asked)) else 'No'
        return f'{yes}. Empty, as I see it now: {", ".join(of_kind) or f"no {kind}"}.'
    if not _WHICH_EMPTY.match(asked):
        return None
    return f'Empty, as I see it now: {", ".join(empty) or "none"}.'


def _held(place: str, table: TableView) -> str:
    held = [item.name for item in table.objects if item.place == place]
    if not held:
        return f'There is nothing {at_place(place)}, as I see it now.'
    return f'{_capital(at_place(place))} I see: {", ".join(held)}.'


_OF_SOMEBODY = re.compile(r'\s*(?:[A-Z]|(?:i|he|she|they|my|our|his|her|their)\b)')
"""Who has or does something, behind "how many letters has": such things are not counted on the table."""


def _count(asked: str, table: TableView) -> str | None:
    match = _COUNT.search(asked)
    if match is None or _DEED.search(asked):
        return None
    rest = match['rest'] or ''
    place = table.place_in(rest)
    if not place and re.search(r'\btable\b', rest):
        place = ON_TABLE
    items = [item for item in table.fitting(_bare(match['what'])) if not place or item.place == place]
    if not items:
        what = _bare(match['what'])
        known = bool(table.fitting(what))
        if not known and _OF_SOMEBODY.match(rest):
            return None
        return f'None {at_place(place)}, as I see it now.' if place and known else f'I see none: no {what}.'
    where = f' {at_place(place)}' if place else ''
    return f'I see {len(items)}{where}: {", ".join(_placed(item, place) for item in items)}.'


def _is_in(asked: str, table: TableView) -> str | None:
    match = _IS_IN.match(asked)
    if match is None:
        return None
    place = table.place_in(match['place']) or (ON_TABLE if re.search(r'\btable\b', match['place'], re.I) else '')
    items = table.fitting(_bare(match['what']))
    if not place or not items:
        return None
    told = _and([f'{_the(item)} is {at_place(item.place)}' for item in items])
    return f'{"Yes" if all(item.place == place for item in items) else "No"}, as I see it now: t{told[1:]}.'


def _is_there(asked: str, table: TableView) -> str | None:
    bare = _ON_THE_TABLE.sub('', asked)
    match = _THERE.match(bare)
    if match is None:
        return None
    what, where = _bare(match['what'] or match['seen']), match['place'] or ''
    place = table.place_in(where) or (ON_TABLE if bare != asked else '')
    found = _meant(what, table)
    if found is None or (where and not place):
        return None
    items = [item for item in found if not place or item.place == place]
    return (
        f'Yes, I see {", ".join(_placed(item, place) for item in items)}.' if items else f'No, I see no {_thing(what)}.'
    )


def _which_are(asked: str, table: TableView) -> str | None:
    match = _WHICH_ARE.match(asked)
    if match is None or match['quality'].lower() in FUNCTION_WORDS:
        return None
    found = _meant(f'{match["quality"]} {match["what"]}', table)
    return f'I see {", ".join(_placed(item, "") for item in found)}.' if found else None


def _which(asked: str, table: TableView) -> str | None:
    match = _WHICH.match(asked)
    found = _meant(_bare(match['what']), table) if match is not None else None
    if match is None or not found:
        return None
    where = match['place'] or ''
    place = table.place_in(where) or (ON_TABLE if re.search(r'\btable\b', where, re.IGNORECASE) else '')
    if where and not place:
        return None
    items = [item for item in found if not place or item.place == place]
    if not items:
        return f'None {at_place(place)}, as I see it now.'
    return f'I see {", ".join(_placed(item, place) for item in items)}.'


def _meant(what: str, table: TableView) -> list[ListedObject] | None:
    """The objects that a noun phrase means, such as `anything that is not a cube`; None if that is unclear."""
    reading = read(f'give me {what}')
    items = [item for directive in reading.program.directives for item in directive.items]
    if reading.unread or len(items) != 1:
        return None
    knowledge = Knowledge(lexicon())
    found = [thing for thing in table.objects if knowledge.matches(items[0].selector, thing)]
    return found or table.fitting(what)


def _thing(what: str) -> str:
    """What is not here, behind `no`: `screwdriver`, `thing that is not a cube`."""
    return re.sub(r'^(?:anything|something)\b', 'thing', what, flags=re.IGNORECASE)


def _colour(asked: str, table: TableView) -> str | None:
    match = _COLOUR.search(asked)
    items = table.fitting(_bare(match['what'])) if match is not None else []
    told = [f'{_the(item)} is {and_list(item.attributes)}' for item in items if item.attributes]
    return f'{_and(told)}, as I see it.' if told else None


def _bare(what: str) -> str:
    return _ARTICLE.sub('', what.strip().rstrip('?!. '))


def _placed(item: ListedObject, place: str) -> str:
    return item.name if place else f'{item.name} ({at_place(item.place)})'


def _the(item: ListedObject) -> str:
    return f'The {item.name}'


def _and(told: Sequence[str]) -> str:
    first, *rest = told
    return '; '.join([first, *(f't{text[1:]}' if text.startswith('The') else text for text in rest)])


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
