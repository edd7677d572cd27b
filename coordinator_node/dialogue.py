"""The coordinator's dialogue with its model, and how much of it goes into the next prompt."""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_llm.model import Message


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """One question and its answer. `brief` is the question without what was remembered and seen at that time."""

    question: str
    brief: str
    answer: str


class Dialogue:
    """The turns so far, oldest first. With memory on the last few stay in the prompt, briefly; without, all, in full."""

    def __init__(self, *, memory: bool, turns_kept: int) -> None:
        self._memory = memory
        self._turns_kept = turns_kept
        self._turns: list[ModelTurn] = []

    def begin_goal(self) -> None:
        """A new goal begins: with memory on, the dialogue of the last one has no say in it."""
        if self._memory:
            self._turns.clear()

    def clear(self) -> None:
        """Forgets everything, as the reset of a chat does."""
        self._turns.clear()

    def add(self, turn: ModelTurn) -> None:
        """Appends a turn; with memory on, those beyond `turns_kept` are dropped."""
        self._turns.append(turn)
        if self._memory:
            del self._turns[: max(0, len(self._turns) - self._turns_kept)]

    def messages(self, base: str, question: str) -> Sequence[Message]:
        """The next prompt: what never changes first, so that prompt caches hit, and what changes most last."""
        messages = [Message('system', base)]
        for turn in self._turns:
            messages.append(Message('user', turn.brief if self._memory else turn.question))
            messages.append(Message('assistant', turn.answer))
        messages.append(Message('user', question))
        return messages
