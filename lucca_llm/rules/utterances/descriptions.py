"""Readings of descriptions: word by word, or else as a note on what belongs where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lucca_language.reading.reading import Reading, read, unknown_words, words_of
from lucca_language.reading.selectors import ListedObject
from lucca_language.reading.sorting_notes import read_note
from lucca_language.words.disfluencies import fluent
from lucca_llm.rules.plans.left_out import readings_of_less
from lucca_llm.rules.prompts.place_names import with_places_joined, with_places_restored
from lucca_llm.rules.utterances.own_names import forbids, with_own_names

_AT_A_SIDE = re.compile(
    r'\bthe (?P<noun>[a-z]+) (?:that is |which is )?(?:on|at|to) (?:the|my|your) (?P<side>left|right)(?:[- ]hand)?'
    r'(?: side)?\b(?! of\b)',
    re.IGNORECASE,
)


def read_description(text: str, background: str, listed: Sequence[ListedObject], places: Sequence[str]) -> Reading:
    """The reading of a description.

    Args:
        text: the description.
        background: facts that may define words.
        listed: the objects here, wherever they are.
        places: the containers here, in lower case.
    """
    text = _fluent(text, listed, places)
    named = with_own_names(text, listed, places)
    if named != text and forbids(text):
        # Under a name that is not the robot's, a prohibition would be about nothing here, and would forbid nothing.
        return replace(_read_here(text, background, listed, places), unread=(text.strip(),))
    text = _with_side_first(named, places)
    reading = _read_here(text, background, listed, places)
    if not reading.is_understood and (note := read_note(text, places)) is not None:
        return Reading(note, unknown=unknown_words(note, words_of(listed)))
    return reading


def read_with_less(
    text: str, background: str, listed: Sequence[ListedObject], places: Sequence[str]
) -> Iterator[Reading]:
    """The readings of a description without what may be in the way; see `readings_of_less` and `read_description`."""
    text = _fluent(text, listed, places)
    if forbids(text):
        return iter(())
    text = with_own_names(text, listed, places)
    return readings_of_less(text, listed, places, lambda said: _read_here(said, background, listed, places))


def _fluent(text: str, listed: Sequence[ListedObject], places: Sequence[str]) -> str:
    return fluent(text, [name.lower() for name in (*(thing.name for thing in listed), *places)])


def _with_side_first(text: str, places: Sequence[str]) -> str:
    """`The left box` for `the box on my left`: both are asked about, as a description does not say whose left it is."""
    nouns = {re.sub(r' \d+$', '', place) for place in places}
    return _AT_A_SIDE.sub(
        lambda found: f'the {found["side"]} {found["noun"]}' if found['noun'].lower() in nouns else found.group(), text
    )


def _read_here(text: str, background: str, listed: Sequence[ListedObject], places: Sequence[str]) -> Reading:
    reading = read(with_places_joined(text, listed, places), background, words_of(listed))
    return with_places_restored(reading, places)
