"""What things are, in a few words: the beginnings of WordNet's definitions of artefacts, food, substances and print.

The table is made by `laboratory/scripts/build_glosses.py` from the files of Debian's package `wordnet-base`; WordNet's
licence lies beside it.
"""

import functools
import lzma
import re
from collections.abc import Mapping
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_language.words.lexicon import lexicon

GLOSSES_FILE = Path(__file__).with_name('glosses.tsv.xz')
_NO_WORD = re.compile(r"[^a-z' -]")


@functools.lru_cache(maxsize=1)
def _glosses() -> Mapping[str, str]:
    """Noun -> gloss.

    Raises:
        ConfigError: the file is missing or damaged.
    """
    try:
        with lzma.open(GLOSSES_FILE, 'rt', encoding='utf-8') as file:
            return dict(line.rstrip('\n').split('\t') for line in file)
    except (OSError, lzma.LZMAError, EOFError, ValueError) as error:
        raise ConfigError(f'this is no table of glosses: {error!r}', file=str(GLOSSES_FILE)) from error


def gloss(name: str) -> str:
    """What a thing is, by the longest ending of its name that is a known noun; empty if none is."""
    words = _NO_WORD.sub(' ', name.lower()).split()
    for start in range(len(words)):
        ending = ' '.join(words[start:])
        found = _glosses().get(ending) or _glosses().get(lexicon().singular(ending))
        if found is not None:
            return found
    return ''
