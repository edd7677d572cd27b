"""v_general = Compress({v_i, v_j, …}): several statements of little importance as one node that says it shorter.

Offline a general node is a list of parts, each a statement without the words that carry nothing, so that what it says
can still be found, answered with, and be superseded on its own. The paper, section 1.3 d.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from lucca_memory.retrieval.analysis import told_share
from lucca_memory.semantic.graph.change import GENERAL, Node

SEPARATOR = '; '

_DROPPED = frozenset(
    [
        'a',
        'an',
        'just',
        'really',
        'very',
        'quite',
        'actually',
        'basically',
        'simply',
        'well',
        'so',
        'also',
        'still',
        'please',
        'then',
        'anyway',
        'maybe',
        'perhaps',
        'okay',
        'ok',
        'oh',
        'yes',
        'yeah',
        'hey',
    ]
)
_LEAD = re.compile(
    r'^(?:by the way|i (?:think|guess|mean|heard|wanted to (?:say|tell you)|should (?:mention|say))|you know|'
    r'(?:just )?so you know|for the record|to be honest|let me (?:tell you|say|add))\b[ ,:]*(?:that\b)?\s*',
    re.IGNORECASE,
)


_ARTICLE = re.compile(r"^the (?=(?:[a-z'’-]+ ){1,2}(?:of|for) )", re.IGNORECASE)
"""Before what belongs to something else: "The rent of the hall". Elsewhere it may be part of a name: "The harbour gala"."""


class Compressor(Protocol):
    """Turns texts of one speaker into one shorter text."""

    def compress(self, texts: Sequence[str]) -> str:
        """The general text; empty if nothing can be said of them.

        Raises:
            ModelError: a language model was to say it and did not.
        """
        ...


class ShorteningCompressor:
    """Each text without what carries nothing, one after the other; the same twice is said once."""

    def compress(self, texts: Sequence[str]) -> str:
        """See Compressor; never fails."""
        return SEPARATOR.join(dict.fromkeys(short for text in texts if (short := shortened(text))))


def shortened(text: str) -> str:
    """A text without questions, lead-ins, idle articles and filler words; values and names stay as they are."""
    if told_share(text) < 0.5:
        return ''
    text = _ARTICLE.sub('', _LEAD.sub('', text.strip())).strip(' .!,;')
    words = text.split()
    # Most texts have none of them, which is known at once; a network is loaded with this for every statement.
    if not _DROPPED.isdisjoint(text.lower().replace(',', ' ').split()):
        words = [word for word in words if word.lower().strip(',') not in _DROPPED]
    return ' '.join(words).replace(SEPARATOR, ', ')


def parts_of(node: Node) -> list[str]:
    """What a node says, one statement a part: the text itself, of a general node its parts."""
    return node.text.split(SEPARATOR) if node.kind == GENERAL else [node.text]


def without_part(node: Node, part: str) -> str:
    """The text of a general node without one of its parts."""
    return SEPARATOR.join(other for other in parts_of(node) if other != part)
