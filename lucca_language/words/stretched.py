"""Words with stretched letters: `please` for `pleeease`."""

import itertools
import re
from collections.abc import Iterator

from lucca_language.words.english import is_known

_RUN = re.compile(r'((\w)\2{2,})')
_MOST_RUNS = 3


def unstretched(word: str) -> str:
    """The one known word that a word with stretched letters may be; the word itself if there is none, or another."""
    if not _RUN.search(word) or len(set(word.lower())) == 1:
        return word  # `AAA`
    found = [form for form in _shortened(word) if is_known(form.lower())]
    return found[0] if len(found) == 1 else word


def _shortened(word: str) -> Iterator[str]:
    """The word with each stretched letter once or twice."""
    parts = _RUN.split(word)
    plain, runs = parts[::3], parts[1::3]
    if len(runs) <= _MOST_RUNS:
        for chosen in itertools.product(*((run[0], run[:2]) for run in runs)):
            yield ''.join(itertools.chain.from_iterable(itertools.zip_longest(plain, chosen, fillvalue='')))
