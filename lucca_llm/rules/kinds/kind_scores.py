"""Scores of a thing and a kind, read together by a trained encoder or from their vectors, with what lucca ships."""

import functools
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ModelUnusable
from lucca_core.paths import config_dir
from lucca_language.words.lexicon import lexicon
from lucca_memory.embedding.member_lists import MemberLists
from lucca_memory.embedding.membership import Membership
from lucca_memory.embedding.pair_adapter import check_base
from lucca_memory.embedding.pair_scorer import PairScorer

_MOST_SCORES = 8192

_log = logging.getLogger(__name__)

LISTED, LISTED_ELSEWHERE = 2.0, -3.0
"""The least score of a thing and a kind if the lists say that it is of it, and the greatest if they say it is not."""


def kinds_adapter(spec: str) -> Path:
    """The file of the adapter for the embedding model with this spec. It may not be there."""
    return config_dir() / 'adapters' / f'kinds-{spec}.npz'


def members_form(spec: str) -> Path:
    """The file of the form that tells members of kinds by the vectors of the model with this spec; may be missing."""
    return config_dir() / 'adapters' / f'members-{spec}.npz'


@functools.lru_cache(maxsize=1)
def member_lists() -> MemberLists | None:
    """The lists that come with lucca; None if they cannot be used."""
    try:
        return MemberLists(config_dir() / 'adapters' / 'members-lists.npz')
    except (ModelUnusable, FileNotFoundError) as error:
        _log.warning('kinds are judged without the lists of their members: %s', error)
        return None


def is_listed(name: str, kind: str) -> bool:
    """Whether the lists say that a thing is of a kind."""
    lists = member_lists()
    return lists is not None and any(_is_of(form, kind, lists) for form in _forms(name))


def with_lists(name: str, kinds: Sequence[str], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores of membership of a thing in kinds, corrected where the lists know better, shape (kinds,)."""
    lists, found = member_lists(), scores.copy()
    if lists is None:
        return found
    thing = next((form for form in _forms(name) if lists.lists(form)), '')
    for number, kind in enumerate(kinds):
        is_of = _is_of(thing, kind, lists)
        if is_of is not None:
            found[number] = max(found[number], LISTED) if is_of else min(found[number], LISTED_ELSEWHERE)
    return found


def _is_of(thing: str, kind: str, lists: MemberLists) -> bool | None:
    """What the lists say; a listed thing is also of the kind of its own name, which they leave out: pasta is pasta."""
    if lists.lists(thing) and not set(_forms(thing)).isdisjoint(_forms(kind)):
        return True
    return lists.is_of(thing, kind.lower())


def _forms(name: str) -> tuple[str, str, str]:
    """A name in lower case as it is, in the singular and in a plural."""
    said = name.lower()
    *before, last = said.split() or ['']
    return said, ' '.join([*before, lexicon().singular(last)]), f'{said}s'


def read_members(folder: Path, file: Path, dimensions: int) -> Membership:
    """Reads a form for the model in a folder, whose vectors have these dimensions.

    Raises:
        ModelUnusable: the form is missing, damaged, or for another model.
    """
    found = Membership(file)
    check_base(found.base_sha256, folder)
    # It takes the vectors of the words and of what they are.
    if found.dimensions != 2 * dimensions:
        raise ModelUnusable(f'{file} takes vectors of {found.dimensions} dimensions, not {2 * dimensions}')
    return found


class KindScores:
    """Scores pairs of a thing and a kind; caches the newest ones. Thread-safe."""

    def __init__(self, folder: Path, adapter_file: Path) -> None:
        """Loads the model in a folder and the adapter.

        Raises:
            ModelUnusable: one of them is missing or damaged, or the adapter is for another model.
        """
        self._scorer = PairScorer(folder, adapter_file)
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._lock = threading.Lock()

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The log odds that a thing is of a kind, shape (n,). All that are new are found at once."""
        with self._lock:
            found = {pair: self._known[pair] for pair in pairs if pair in self._known}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in found]
        if new:
            found |= zip(new, map(float, self._scorer.scores(new)), strict=True)
            with self._lock:
                self._known |= {pair: found[pair] for pair in new}
                while len(self._known) > _MOST_SCORES:
                    self._known.popitem(last=False)
        return np.array([found[pair] for pair in pairs], float)
