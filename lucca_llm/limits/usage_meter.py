"""A meter around a model that counts its calls, tokens and time."""

import threading
import time
from collections.abc import Callable, Sequence

from lucca_core.protocol.usage import ModelUsage
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.wrapper import Ask, ModelWrapper


class UsageMeter(ModelWrapper):
    """Counts the calls, tokens and time of the wrapped model. Safe to use from several threads.

    A failed call counts with its time and its estimated prompt. Checks are not counted.
    """

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._lock = threading.Lock()
        self._usage = ModelUsage(model=model.spec)

    @property
    def usage(self) -> ModelUsage:
        """Usage since the meter was made."""
        with self._lock:
            return self._usage

    def _around(
        self, messages: Sequence[Message], options: ChatOptions, ask: Ask, cancelled: Callable[[], bool]
    ) -> ChatReply:
        started_s = time.monotonic()
        reply: ChatReply | None = None
        try:
            reply = ask(messages)
            return reply
        finally:
            cost = ModelUsage(
                calls=1,
                prompt_tokens=reply.prompt_tokens if reply else estimate_prompt_tokens(messages),
                completion_tokens=reply.completion_tokens if reply else 0,
                model_s=time.monotonic() - started_s,
            )
            with self._lock:
                self._usage = self._usage + cost
