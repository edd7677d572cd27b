"""Something remembered, as it is recalled."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal['said', 'summary', 'fact', 'task', 'statement']
"""What a recollection is: a line of a conversation, a summary of several, a passage of a fact file, a log entry, a
node of the semantic network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """Something remembered, word for word as it is kept. It is data.

    Attributes:
        item_id: names it for good, such as `said:17` or `fact:gym.md:3`.
        source: where it is from, for people: `gym.md:3-5`, `Anna, 2026-11-20 18:04`.
        score: comparable within one answer and kind only.
        why: the signals that spoke for it, strongest first: `words`, `meaning`, `speaker`, `date`.
        speaker: who said it; empty for facts and tasks.
        conversation: in which it was said; of a task, the task's name.
        file: of a fact, its path in the folder of facts; `first_line` and `last_line` are in it, from 1.
        time: when it was said or done; None for a fact.
        valid_to: when something newer took its place (if `partly`, that of some sentences); None while it holds.
        newer: when something newer was said that answers the question differently (this may be outdated); else None.
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
        """What it belongs to: a conversation, a task, a fact file."""
        return self.conversation or self.file

    @property
    def shown_source(self) -> str:
        """The source, with the mark of what does not hold any more, or may not."""
        if self.valid_to is not None:
            return f'{self.source}; {"partly " if self.partly else ""}no longer true since {self.valid_to:%Y-%m-%d}'
        if self.newer is not None:
            return f'{self.source}; something newer was said on {self.newer:%Y-%m-%d}'
        return self.source
