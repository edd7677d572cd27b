"""Readings of descriptions: word by word, or else as a note on what belongs where."""

from collections.abc import Sequence

from lucca_language.reading.reading import Reading, read, unknown_words, words_of
from lucca_language.reading.selectors import ListedObject
from lucca_language.reading.sorting_notes import read_note
from lucca_llm.rules.own_names import with_own_names
from lucca_llm.rules.place_names import with_places_joined, with_places_restored


def read_description(text: str, background: str, listed: Sequence[ListedObject], places: Sequence[str]) -> Reading:
    """The reading of a description.

    Args:
        text: the description.
        background: facts that may define words.
        listed: the objects here, wherever they are.
        places: the containers here, in lower case.
    """
    text, names = with_own_names(text, listed, places), words_of(listed)
    reading = read(with_places_joined(text, listed, places), background, names)
    if not reading.is_understood and (note := read_note(text, places)) is not None:
        return Reading(note, unknown=unknown_words(note, names))
    return with_places_restored(reading, places)
