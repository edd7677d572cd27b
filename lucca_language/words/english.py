"""Words of English: which spellings are words at all, whether or not the robot knows what they mean.

`laboratory/scripts/build_words.py` makes the list from the files of Debian's package `wordnet-base`; WordNet's licence
is in `glosses.LICENSE.txt`.
"""

import functools
import lzma
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.idle_words import idle_words
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import verb_lemmas
from lucca_language.words.verbs import target_words, verb
from lucca_language.words.word_sets import any_of

WORDS_FILE = Path(__file__).with_name('words.txt.xz')
_SHORTEST = 3
UNLISTED = any_of(
    'please robot lucca hey hi hello ok okay yes yeah thanks thank sorry wow oh ah hmm um uh haha lol no stop '
    'halt freeze wait really cool good great nice bye well so gimme wanna gotta ever whenever wherever whoever '
    'whom whomever huh cuz sorta kinda gonna lemme yep nope yup nah hers ours theirs mine yours myself '
    'yourself himself herself itself ourselves themselves although though unlike whether '
    'plz pls thx ty dunno per via amid despite versus unto whilst lest thus hence plus minus'
)
"""Words that people use and that WordNet does not list."""
_ENDINGS = ('s', 'ly', 'ness')


@functools.lru_cache(maxsize=1)
def _words() -> tuple[frozenset[str], frozenset[str]]:
    """The words of the list, and those of them that are verbs.

    Raises:
        ConfigError: the file is missing or damaged.
    """
    try:
        words, verbs = lzma.decompress(WORDS_FILE.read_bytes()).decode().split('\n\n')
    except (OSError, lzma.LZMAError, EOFError, ValueError) as error:
        raise ConfigError(f'this is no list of words: {error!r}', file=str(WORDS_FILE)) from error
    return frozenset(words.split()), frozenset(verbs.split())


def is_english(word: str) -> bool:
    """Whether a word in lower case is an open-class word of English, in any form; false below three letters."""
    words, verbs = _words()
    forms = {word, lexicon().singular(word), *(word.removesuffix(end) for end in _ENDINGS)}
    is_form = not words.isdisjoint(forms) or not verbs.isdisjoint(verb_lemmas(word))
    return len(word) >= _SHORTEST and is_form


def is_known(word: str) -> bool:
    """Whether the reader knows a word in lower case by itself."""
    return (
        word in FUNCTION_WORDS
        or word in UNLISTED
        or word in idle_words()
        or word in target_words()
        or verb(word) is not None
        or lexicon().knows(lexicon().singular(word))
        or lexicon().colour(word) is not None
        or word in lexicon().adjectives
    )
