"""What an answer rests on: the memories shown whose content it repeats."""

from collections.abc import Iterable

from coordinator_node.people.interface import ROBOT
from lucca_core.protocol.remembered import Recollection
from lucca_memory.retrieval.analysis import STOP_WORDS, stem_of, words_of


def rests_on(answer: str, question: str, shown: Iterable[Recollection]) -> tuple[Recollection, ...]:
    """The memories that an answer takes up, in the order in which they were shown.

    A fact is taken up if its place is named. Anything else is taken up by content words that were not in the question:
    the memory that accounts for most of the answer first, then the next for what is left. So an answer that quotes one
    line rests on that line, and not on all that share words with it. At least two words are needed, or all that the
    memory has.

    Which memories a language model really went by cannot be known; this is what can be seen.
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
        # Of two that account for as much, the one that says less besides.
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
