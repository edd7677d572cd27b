"""Any model within a context window: what does not fit is not sent, as chat servers do it, or the call is refused.

Ollama's chat endpoint drops the oldest messages until the rest fits and keeps system messages and the last one; this is
the same, counted with the estimator of `tokens.py`, which is the same for every model. Nothing is reserved for the answer.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum

from lucca_core.errors import ModelUnusable
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, has_native_tools
from lucca_llm.tokens import estimate_prompt_tokens, message_tokens


class Overflow(StrEnum):
    """What becomes of a chat that is too long: its oldest messages are left out, or it is refused."""

    TRUNCATE = 'truncate'
    ERROR = 'error'


def truncated(messages: Sequence[Message], context_tokens: int) -> tuple[Message, ...]:
    """What is left of a chat that has to fit into a window.

    Whole messages go, the oldest first, until the rest fits. System messages and the last message always stay, even
    where they alone are too long.
    """
    left = estimate_prompt_tokens(messages) - context_tokens
    kept = []
    for number, message in enumerate(messages):
        if left > 0 and message.role != 'system' and number < len(messages) - 1:
            left -= message_tokens(message)
        else:
            kept.append(message)
    return tuple(kept)


class WindowedModel:
    """A model that is only sent what fits into a window. As safe to call from several threads as the model inside."""

    def __init__(self, model: ChatModel, context_tokens: int, overflow: Overflow = Overflow.TRUNCATE) -> None:
        if context_tokens < 1:
            raise ValueError(f'context_tokens must be positive, got {context_tokens}')
        self._model = model
        self._context_tokens = context_tokens
        self._overflow = overflow

    @property
    def spec(self) -> str:
        """That of the model inside."""
        return self._model.spec

    @property
    def native_tools(self) -> bool:
        """As the model inside."""
        return has_native_tools(self._model)

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer to what fits of a chat; see ChatModel.

        Raises:
            ModelUnusable: it does not fit and `overflow` is ERROR.
        """
        tokens = estimate_prompt_tokens(messages)
        if self._overflow is Overflow.ERROR and tokens > self._context_tokens:
            raise ModelUnusable(f'the prompt has {tokens} tokens; the context window has {self._context_tokens}')
        sent = truncated(messages, self._context_tokens)
        return self._model.chat(sent, options, on_text=on_text, cancelled=cancelled)

    def check(self, deadline_s: float) -> None:
        """See ChatModel."""
        self._model.check(deadline_s)
