"""Which things and places a noun names whose place on the table is known."""

import re

from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_llm.rules.prompts.table_view import ON_TABLE, TableView

GENERIC = ('one', 'thing', 'object', 'item')
"""Nouns for anything."""


def names_of(noun: str, table: TableView) -> tuple[str, ...]:
    """The names of the places with a noun, or else of the objects on the table that it fits in every word.

    `noun` is in lower case, with the words before it: `red cube`, `box`, `cube 2`.
    """
    if noun in GENERIC:
        return things_here(table)
    here = table.seen_by_user.right_cm
    numbered = re.fullmatch(r'(.+) (\d+)', noun)
    if numbered is not None:
        first = numbered[1] if numbered[2] == '1' else ''
        return tuple(name for name in here if name.lower() in (noun, first))
    places = tuple(place for place in table.places if place in here and re.sub(r' \d+$', '', place.lower()) == noun)
    *told, last = noun.split()
    is_label = any(last == thing.label.split()[-1] for thing in table.objects)
    if places or (not is_label and (last in FUNCTION_WORDS or lexicon().colour(last) is not None)):
        return places
    things = [thing for thing in table.fitting(noun) if thing.place == ON_TABLE and thing.name in here]
    is_known = all(_says(word, thing) for thing in things for word in told)
    return tuple(thing.name for thing in things) if is_known else ()


def things_here(table: TableView) -> tuple[str, ...]:
    """The names of the objects on the table."""
    here = table.seen_by_user.right_cm
    return tuple(thing.name for thing in table.objects if thing.place == ON_TABLE and thing.name in here)


def _says(word: str, thing: ListedObject) -> bool:
    """Whether a word before a noun tells something of a thing: a part of its name, an attribute or a colour."""
    known = (*thing.name.lower().split(), *thing.attributes)
    return word in known or lexicon().singular(word) in known or lexicon().colour(word) is not None
