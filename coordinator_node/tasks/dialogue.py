"""The coordinator's dialogue with its model, and the part of it that goes into the next prompt."""

from collections.abc import Sequence
from dataclasses import dataclass

from lucca_llm.limits.tokens import message_tokens
from lucca_llm.model import Message, Role


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """One question and its answer. `brief` is the question without what was remembered and seen at that time."""

    question: str
    brief: str
    answer: str


class Dialogue:
    """The turns so far, oldest first. With memory the prompt holds a few in short form; without, all in full."""

    def __init__(self, *, memory: bool, turns_kept: int, base_role: Role = 'system', context_tokens: int = 0) -> None:
        """
        Args:
            memory: whether there is a memory outside of the dialogue.
            turns_kept: number of turns that stay with memory on.
            base_role: the role of the base prompt.
            context_tokens: with memory on, size of the context window in estimated tokens; the oldest turns are left
                out if base prompt, turns and question do not fit. 0: not known, all are sent.
        """
        self._memory = memory
        self._turns_kept = turns_kept
        self._base_role: Role = base_role
        self._context_tokens = context_tokens
        self._turns: list[ModelTurn] = []

    def begin_goal(self) -> None:
        """Begins a new goal. With memory on, the dialogue of the previous goal is dropped."""
        if self._memory:
            self._turns.clear()

    def add(self, turn: ModelTurn) -> None:
        """Appends a turn. With memory on, only the last `turns_kept` stay."""
        self._turns.append(turn)
        if self._memory:
            del self._turns[: max(0, len(self._turns) - self._turns_kept)]

    def messages(self, base: str, question: str) -> Sequence[Message]:
        """The next prompt: unchanging text first, so that prompt caches hit, and what changes most last."""
        first, last = Message(self._base_role, base), Message('user', question)
        turns = [
            (Message('user', turn.brief if self._memory else turn.question), Message('assistant', turn.answer))
            for turn in self._turns
        ]
        if self._memory and self._context_tokens:
            # A server drops the oldest message first, which is the base prompt; turns are easier to spare.
            left = self._context_tokens - message_tokens(first) - message_tokens(last)
            while turns and sum(message_tokens(message) for turn in turns for message in turn) > left:
                del turns[0]
        return [first, *(message for turn in turns for message in turn), last]
