"""The memories that an answer rests on: those whose content it repeats."""

from collections.abc import Iterable

from coordinator_node.people.interface import ROBOT
from lucca_core.protocol.remembered import Recollection
from lucca_memory.retrieval.analysis import STOP_WORDS, stem_of, words_of


def rests_on(answer: str, question: str, shown: Iterable[Recollection]) -> tuple[Recollection, ...]:
    """The memories that an answer repeats, in the order in which they were shown.

    A fact counts if the answer names its source. Other memories count by content words that were not in the question:
    first the memory that covers most of the answer, then the one that covers most of the rest, and so on. So an answer
    that quotes one line rests on that line, not on every line that shares words with it. A memory has to cover at least
    two words, or all of its words if it has fewer.

    This is an estimate: which memories a language model really used cannot be known.
    """
    memories = list({item.item_id: item for item in shown}.values())
    asked = _content(question)
    left = _content(answer) - asked
    told = left
    taken = {item.item_id for item in memories if item.kind == 'fact' and item.source in answer}
    new = {
        item.item_id: words
        for item in memories
        if item.kind != 'fact' and item.speaker != ROBOT and (words := _content(item.text) - asked)
    }
    while new:
        # Of two memories that cover equally many words, prefer the one with the least other content.
        best = max(new, key=lambda item_id: (len(new[item_id] & left), len(new[item_id] & told) / len(new[item_id])))
        words = new.pop(best)
        if len(words & left) < min(2, len(words)):
            break
        taken.add(best)
        left = left - words
    return tuple(item for item in memories if item.item_id in taken)


def _content(text: str) -> frozenset[str]:
    """The stems of a text's words, without function words."""
    return frozenset(stem_of(word) for word in words_of(text) if word not in STOP_WORDS)
