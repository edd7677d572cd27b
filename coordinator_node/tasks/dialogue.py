"""The coordinator's dialogue with its model, and how much of it goes into the next prompt."""

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
    """The turns so far, oldest first. With memory the prompt keeps a few in short form; without, all in full."""

    def __init__(self, *, memory: bool, turns_kept: int, base_role: Role = 'system', context_tokens: int = 0) -> None:
        """
        Args:
            memory: whether there is a memory outside of the dialogue.
            turns_kept: turns that stay with memory on.
            base_role: who says the base prompt.
            context_tokens: with memory on, only as many turns are sent as fit into this window beside base prompt and
                question, in estimated tokens; 0 where the window is not known.
        """
        self._memory = memory
        self._turns_kept = turns_kept
        self._base_role: Role = base_role
        self._context_tokens = context_tokens
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
        first, last = Message(self._base_role, base), Message('user', question)
        turns = [
            (Message('user', turn.brief if self._memory else turn.question), Message('assistant', turn.answer))
            for turn in self._turns
        ]
        if self._memory and self._context_tokens:
            # What a server drops first is what is oldest, the base prompt; turns are the dispensable part here.
            left = self._context_tokens - message_tokens(first) - message_tokens(last)
            while turns and sum(message_tokens(message) for turn in turns for message in turn) > left:
                del turns[0]
        return [first, *(message for turn in turns for message in turn), last]
