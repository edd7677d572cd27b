"""What a text may speak of here, in whatever words: things, places and kinds, mistyped or not.

It is read widely, for what is asked about before anything is done.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from lucca_language.reading.noun_parser import GENERIC
from lucca_language.reading.selectors import ListedObject
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import is_handling
from lucca_llm.rules.prompts.table_view import NUMBERS, TableView

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")
_LEAST_LIKENESS = 0.75
"""Of a mistyped word to the word that is meant: `cueb` and `cube` have just that."""
_OTHERS = re.compile(
    r'\b(?:everything|rest|remaining|whole|others?|else|them all|all (?:of )?(?:it|them|that|these|those|this))\b',
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r'\b(?:things?|stuff|objects?|items?|(?<!box )(?<!number )ones?|what|whatever|(?<!in )which|who|something|anything)\b',
    re.IGNORECASE,
)
_STACKS = re.compile(r'\b(?:stack|pile|build|on top)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a text may speak of.

    Attributes:
        things: the objects of which a word was said: of the name, of a colour, or of a kind to which they belong.
        places: the places of whose name a word was said.
        kinds: words that may stand for a kind of things, such as `toys` and `green things`.
        means_others: whether it may mean everything, or the rest.
        describes: whether it describes things that it does not name: `the one for driving nails`, not `that thing`.
    """

    things: tuple[ListedObject, ...]
    places: tuple[str, ...]
    kinds: tuple[str, ...]
    means_others: bool
    describes: bool

    def things_meant(self, table: TableView) -> tuple[ListedObject, ...]:
        """The objects that can be meant: those that were mentioned, or any if that is open."""
        return table.objects if self.means_others or self.describes or not self.things else self.things


def mentions_in(said: str, table: TableView) -> Mentions:
    """What a text may speak of at a table."""
    words = _WORD.findall(said.lower())
    return Mentions(
        things=tuple(item for item in table.objects if _is_mentioned(item, words)),
        places=tuple(place for place in table.places if _is_named(place, said, words)),
        kinds=tuple(dict.fromkeys(_kinds(words))),
        means_others=_OTHERS.search(said) is not None,
        describes=_DESCRIBES.search(said) is not None and _tells_more(words, table),
    )


def _is_mentioned(item: ListedObject, words: Sequence[str]) -> bool:
    nouns = lexicon()
    noun = nouns.singular(item.label.lower().split()[-1])
    singulars = [nouns.singular(word) for word in words if len(word) > 2]
    parts = [nouns.singular(part) for part in (*item.name.lower().split(), *item.attributes)]
    is_named = any(get_close_matches(part, singulars, n=1, cutoff=_LEAST_LIKENESS) for part in parts)
    return is_named or any(nouns.is_a(noun, word) for word in singulars)


def _is_named(place: str, said: str, words: Sequence[str]) -> bool:
    numbered = [NUMBERS.get(word, word) for word in words]
    nouns = place.lower().split()
    number = nouns.pop() if len(nouns) > 1 and nouns[-1].isdigit() else ''
    if 'tower' in nouns and _STACKS.search(said) is not None:
        return True
    return number in numbered or any(get_close_matches(noun, words, n=1, cutoff=_LEAST_LIKENESS) for noun in nouns)


def _kinds(words: Sequence[str]) -> Iterator[str]:
    nouns = lexicon()
    for word in words:
        noun = nouns.singular(word)
        if nouns.colour(word) is not None:
            yield f'{word} things'
        elif nouns.is_category(noun) or (nouns.is_plural(word) and nouns.knows(noun)):
            yield word


def _tells_more(words: Sequence[str], table: TableView) -> bool:
    """Whether there is a word that is no verb of handling, no name of a place, and no word for anything."""
    idle = FUNCTION_WORDS | GENERIC | {word for place in table.places for word in place.lower().split()}
    telling = (word for word in words if len(word) > 2 and word not in idle and lexicon().singular(word) not in idle)
    return any(not is_handling(word) for word in telling)
