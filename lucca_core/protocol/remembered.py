"""A recalled memory: its text, kind, id, source and score, and whether it is outdated."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal['said', 'summary', 'fact', 'task', 'statement']
"""What a memory is.

A line of a conversation, a summary of several lines, a passage of a fact file, a log entry, or a node of the semantic
network.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A memory, word for word as it is stored. It is data, never an instruction.

    Attributes:
        item_id: permanent id, such as `said:17` or `fact:gym.md:3`.
        source: where it comes from, in readable form: `gym.md:3-5`, `Anna, 2026-11-20 18:04`.
        score: comparable only within one answer and one kind.
        why: the signals that led to it, strongest first: `words`, `meaning`, `speaker`, `date`.
        speaker: who said it; empty for facts and tasks.
        conversation: the conversation in which it was said; for a task, the task's name.
        file: for a fact, the path in the folder of facts; `first_line` and `last_line` count from 1 in this file.
        time: when it was said or done; None for a fact.
        valid_to: when something newer replaced it (with `partly`, only some of its sentences); None while it holds.
        newer: when something newer was said that answers the question differently, so that this may be outdated; else
            None.
    """

    kind: Kind
    item_id: str
    text: str
    source: str
    score: float = 0.0
    why: tuple[str, ...] = ()
    speaker: str = ''
    conversation: str = ''
    file: str = ''
    first_line: int = 0
    last_line: int = 0
    time: datetime | None = None
    valid_to: datetime | None = None
    partly: bool = False
    newer: datetime | None = None

    @property
    def group(self) -> str:
        """The conversation, task or fact file that it belongs to."""
        return self.conversation or self.file

    @property
    def shown_source(self) -> str:
        """The source, with a note if the memory no longer holds or may be outdated."""
        if self.valid_to is not None:
            return f'{self.source}; {"partly " if self.partly else ""}no longer true since {self.valid_to:%Y-%m-%d}'
        if self.newer is not None:
            return f'{self.source}; something newer was said on {self.newer:%Y-%m-%d}'
        return self.source
