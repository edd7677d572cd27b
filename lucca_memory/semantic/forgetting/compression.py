"""The compression of statements into one shorter text by rule: uninformative words are dropped, the rest is joined.

Without a language model a general node is a list of parts, each a statement without its uninformative words, so that
each part can still be found, answer a question, and be superseded on its own (the paper, section 1.3 d).
"""

import re
from collections.abc import Sequence
from typing import Protocol

from lucca_memory.retrieval.analysis import told_share
from lucca_memory.semantic.graph.change import GENERAL, Node
from lucca_memory.words import word_set

SEPARATOR = '; '

_DROPPED = word_set('dropped')
_LEAD = re.compile(
    r'^(?:by the way|i (?:think|guess|mean|heard|wanted to (?:say|tell you)|should (?:mention|say))|you know|'
    r'(?:just )?so you know|for the record|to be honest|let me (?:tell you|say|add))\b[ ,:]*(?:that\b)?\s*',
    re.IGNORECASE,
)


_ARTICLE = re.compile(r"^the (?=(?:[a-z'’-]+ ){1,2}(?:of|for) )", re.IGNORECASE)
"""What follows is a possessor: "The rent of the hall". Elsewhere it may be part of a name: "The harbour gala"."""


class Compressor(Protocol):
    """Turns texts of one speaker into one shorter text."""

    def compress(self, texts: Sequence[str]) -> str:
        """The general text; empty if there is none.

        Raises:
            ModelError: a language model failed.
        """
        ...


class ShorteningCompressor:
    """Removes uninformative words from each text and joins the results without repetitions."""

    def compress(self, texts: Sequence[str]) -> str:
        """See Compressor; never fails."""
        return SEPARATOR.join(dict.fromkeys(short for text in texts if (short := shortened(text))))


def shortened(text: str) -> str:
    """A text without questions, lead-ins, articles and fillers; values and names are kept."""
    if told_share(text) < 0.5:
        return ''
    text = _ARTICLE.sub('', _LEAD.sub('', text.strip())).strip(' .!,;')
    words = text.split()
    # A quick test, as most texts have none of them and loading a network calls this for every statement.
    if not _DROPPED.isdisjoint(text.lower().replace(',', ' ').split()):
        words = [word for word in words if word.lower().strip(',') not in _DROPPED]
    return ' '.join(words).replace(SEPARATOR, ', ')


def parts_of(node: Node) -> list[str]:
    """The statements of a node: its text, or the parts of a general node."""
    return node.text.split(SEPARATOR) if node.kind == GENERAL else [node.text]


def without_part(node: Node, part: str) -> str:
    """The text of a general node without one of its parts."""
    return SEPARATOR.join(other for other in parts_of(node) if other != part)
