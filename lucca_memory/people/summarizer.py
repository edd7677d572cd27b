"""Summarising the older part of a person's full short-term memory; the lines themselves stay searchable.

Safe at any crash: the summary is stored in the same transaction that takes its lines out of short-term memory. If
making it fails, short-term memory is unchanged.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from lucca_core.errors import MemoryFault
from lucca_memory.people.config import PeopleConfig
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.values import Line, Person, Summarizer, Summary
from lucca_memory.retrieval.analysis import estimated_tokens, terms_of, told_share


def to_summarize(lines: Sequence[Line], config: PeopleConfig) -> tuple[Line, ...]:
    """The oldest lines that the next summary should cover; empty while memory is not full.

    Whole turns, at least one: enough to leave at most `kept_tokens`, but no more than `summary_tokens` of text.
    """
    tokens = [estimated_tokens(line.text) for line in lines]
    left = sum(tokens)
    if left <= config.short_term_tokens:
        return ()
    taken = 0
    for end in _ends_of_turns(lines):
        size = sum(tokens[taken:end])
        if taken and (left <= config.kept_tokens or sum(tokens[:taken]) + size > config.summary_tokens):
            break
        left -= size
        taken = end
    return tuple(lines[:taken])


def condense(
    store: PeopleStore, person: Person, summarizer: Summarizer, config: PeopleConfig, now: datetime
) -> Summary | None:
    """Summarises a person's oldest short-term memory if it is full; None if it is not.

    Raises:
        LuccaError: the summary could not be made or stored; short-term memory is unchanged.
    """
    lines = to_summarize(store.short_term(person.person_id), config)
    if not lines:
        return None
    text = summarizer.summarize(person, lines).strip()
    if not text:
        raise MemoryFault(f'the summary of {len(lines)} lines is empty; they stay in short-term memory')
    return store.add_summary(person.person_id, text, lines[0].line_id, lines[-1].line_id, now)


def telling(lines: Sequence[Line], most_tokens: int) -> tuple[Line, ...]:
    """The most informative lines within the token limit (at least one), in their original order."""
    counts: Counter[int] = Counter(term for line in lines for term in set(terms_of(line.text)))
    first: dict[int, int] = {}
    for line in lines:
        for term in terms_of(line.text):
            first.setdefault(term, line.line_id)

    def worth(line: Line) -> float:
        # Words that recur later are the topic; the line where they first occur explains them.
        told = sum(counts[term] * (2 if first[term] == line.line_id else 1) for term in set(terms_of(line.text)))
        return told_share(line.text) * told * (1.0 if line.answers else 2.0) / (len(line.text) + 80)

    chosen: list[Line] = []
    tokens = 0
    for line in sorted(lines, key=worth, reverse=True):
        size = estimated_tokens(line.text)
        if not chosen or tokens + size <= most_tokens:
            chosen.append(line)
            tokens += size
    return tuple(sorted(chosen, key=lambda line: line.line_id))


class ExtractiveSummarizer:
    """Selects the most informative lines verbatim; used without a language model."""

    def __init__(self, most_tokens: int = 250) -> None:
        self._most_tokens = most_tokens

    def summarize(self, person: Person, lines: Sequence[Line]) -> str:
        """See Summarizer. The day comes first, then the lines in order, each with its speaker."""
        chosen = telling(lines, self._most_tokens)
        told = '\n'.join(f'{line.speaker}: {line.text}' for line in chosen)
        return f'{lines[0].time:%Y-%m-%d}, in extracts:\n{told}'


def _ends_of_turns(lines: Sequence[Line]) -> list[int]:
    return [end for end in range(1, len(lines) + 1) if end == len(lines) or not lines[end].answers]
