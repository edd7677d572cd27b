"""Words of English: which spellings are words at all, whether or not the robot knows what they mean.

`laboratory/scripts/build_words.py` makes the list from the files of Debian's package `wordnet-base`; WordNet's licence
is in `glosses.LICENSE.txt`.
"""

import functools
import lzma
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_language.words.lexicon import lexicon
from lucca_language.words.morphology import verb_lemmas

WORDS_FILE = Path(__file__).with_name('words.txt.xz')
_SHORTEST = 3
_ENDINGS = ('s', 'ly', 'ness')


@functools.lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    """The words of the list.

    Raises:
        ConfigError: the file is missing or damaged.
    """
    try:
        return frozenset(lzma.decompress(WORDS_FILE.read_bytes()).decode().split())
    except (OSError, lzma.LZMAError, EOFError, ValueError) as error:
        raise ConfigError(f'this is no list of words: {error!r}', file=str(WORDS_FILE)) from error


def is_english(word: str) -> bool:
    """Whether a word in lower case is an open-class word of English, in any form; false below three letters."""
    forms = {word, *verb_lemmas(word), lexicon().singular(word), *(word.removesuffix(end) for end in _ENDINGS)}
    return len(word) >= _SHORTEST and any(form in _words() for form in forms)
