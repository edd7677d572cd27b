"""What calls to a model cost, counted around it."""

import threading
import time
from collections.abc import Callable, Sequence

from lucca_core.values import ModelUsage
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, has_native_tools


class UsageMeter:
    """A model that counts its calls, tokens and time. Safe to use from several threads.

    A call that failed counts too, with its time and the estimate of its prompt.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._usage = ModelUsage(model=model.spec)

    @property
    def spec(self) -> str:
        """That of the model inside."""
        return self._model.spec

    @property
    def native_tools(self) -> bool:
        """As the model inside."""
        return has_native_tools(self._model)

    @property
    def usage(self) -> ModelUsage:
        """Everything since it was made, or since `take`."""
        with self._lock:
            return self._usage

    def take(self) -> ModelUsage:
        """Everything since the last `take`; counting starts again at nothing."""
        with self._lock:
            taken, self._usage = self._usage, ModelUsage(model=self._model.spec)
            return taken

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer to a chat; see ChatModel."""
        started_s = time.monotonic()
        reply: ChatReply | None = None
        try:
            reply = self._model.chat(messages, options, on_text=on_text, cancelled=cancelled)
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

    def check(self, deadline_s: float) -> None:
        """See ChatModel; not counted."""
        self._model.check(deadline_s)
