"""Things that are to go into different places: `put the red cube and the blue cube in different boxes`."""

import re
from collections.abc import Sequence

from lucca_core.english import and_list, with_article
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.prompts.table_view import TableView

_SPREAD = re.compile(
    r'^(?P<verb>put|place|move|drop|lay|set|sort) (?P<what>(?:the|both|all|each|every|my) [^;:.!?]+?),?(?: each)? '
    r'(?:in|into|inside) (?:(?:an? )?(?:(?:two|three) )?(?:different|separate|distinct)|(?:its|their) own) '
    r'(?P<kind>[a-z]+)(?: each)?(?:,? please)?[.!]*$',
    re.IGNORECASE,
)
_PARTS = re.compile(r',? and |, ', re.IGNORECASE)
_NO_LIST = re.compile(
    r'\b(?:not|no|or|but|except|without|one|some|any|half|most|other|others|rest|first|then|in|on|into|if|that|which|'
    r'who|it|them|everything)\b',
    re.IGNORECASE,
)
_COUNTED = re.compile(r'(?:(?:the|all|my) )?(?P<count>both|two|three)\b', re.IGNORECASE)
_COUNTS = {'both': 2, 'two': 2, 'three': 3}


def spread(said: str, table: TableView) -> str | None:
    """The request in which each thing has a place of its own, in the order of the places; None for other texts.

    Raises:
        LookupError: there are fewer places than things, or it is not clear which things are meant.
    """
    match = _SPREAD.match(' '.join(said.split()))
    if match is None or not table.seen:
        return None
    kind = lexicon().singular(match['kind'].lower())
    places = [place for place in table.places if re.fullmatch(rf'{re.escape(kind)}(?: \w+)?', place.lower())]
    things = _things(match['what'], table)
    if not places or not things:
        return None
    if len(things) > len(places):
        raise LookupError(f'{len(things)} things are meant, but I know only {" and ".join(places)}')
    parts = [f'the {thing.name} in {with_article(place)}' for thing, place in zip(things, places, strict=False)]
    return f'{match["verb"]} {" and ".join(parts)}'


def _things(what: str, table: TableView) -> Sequence[ListedObject]:
    """The things of a list, each once; empty if a part is not clear.

    Raises:
        LookupError: several things here may be meant by one word.
    """
    if _NO_LIST.search(what):
        return ()
    found: list[ListedObject] = []
    for part in _PARTS.split(what):
        fitting = table.fitting(part)
        noun = lexicon().singular(part.lower().split()[-1])
        is_one = not re.match(r'(?:both|all|each|every)\b', part, re.IGNORECASE) and noun == part.lower().split()[-1]
        if is_one and len(fitting) > 1:
            raise LookupError(f'Which one do you mean by “{part}”: {" or ".join(thing.name for thing in fitting)}?')
        if not fitting:
            return ()
        if (match := _COUNTED.match(part)) and len(fitting) != _COUNTS[match['count'].lower()]:
            raise LookupError(
                f'Which ones do you mean by “{part}”? I see {and_list([thing.name for thing in fitting])}'
            )
        found += [thing for thing in fitting if thing not in found]
    return found if len(found) > 1 else ()
