"""Base class of models behind a server: deadlines, permission to send requests, and errors without the key."""

import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ClassVar

from lucca_core.errors import LuccaError, ModelError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.limits.deadline import Emit, call_within, finish
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_llm.servers.secret import Secret
from lucca_llm.servers.server_address import ServerAddress

_logger = logging.getLogger(__name__)


class ServerModel:
    """A model behind a server; subclasses speak its protocol. See ChatModel."""

    KIND: ClassVar[str]
    """First word of the model spec."""
    CHECK_TOKENS: ClassVar[int]
    """`max_tokens` of a check; some servers refuse fewer."""

    def __init__(self, model: str, address: ServerAddress, key: Secret) -> None:
        self._model = model
        self._address = address
        self._key = key

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.spec!r})'

    @property
    def spec(self) -> str:
        """The string that chose this model, without any key."""
        return f'{self.KIND}:{self._model}@{self._address.url}'

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer to a chat; see ChatModel.

        Raises:
            ModelUnusable: also if requests to other machines are turned off, or if the prompt and `max_tokens` are
                known to exceed the model's context; nothing is sent then.
        """
        reply = self._reply(messages, options, on_text=on_text, cancelled=cancelled)
        if reply.finish_reason == 'content_filter':
            raise ModelUnusable(f'{self.spec}: its content filter stopped the answer')
        if reply.finish_reason == 'length' and not reply.text and not reply.tool_calls:
            raise ModelRetryable(
                f'{self.spec} used up the {options.max_tokens} tokens of its answer before it said anything, as models'
                ' that reason do: allow longer answers (answer_tokens), or take a model that does not reason'
            )
        return reply

    def check(self, deadline_s: float) -> None:
        """Makes the model answer once, which may load it; see ChatModel.

        Asks a second time if the answer broke off: llama_cpp.server breaks one off when another request comes, as
        those of coordinator and worker do when both start.
        """
        end_s = time.monotonic() + deadline_s
        try:
            self._check(deadline_s)
        except ModelTimeout:
            raise
        except ModelRetryable as error:
            if (left_s := end_s - time.monotonic()) <= 0:
                raise
            _logger.info('checking again: %s', error)
            self._check(left_s)

    def _check(self, deadline_s: float) -> None:
        options = ChatOptions(deadline_s=deadline_s, max_tokens=self.CHECK_TOKENS)
        # A model that reasons does not come to an answer in so few tokens, but it works.
        self._reply([Message('user', 'Answer with: ok')], options)

    def close(self) -> None:
        """Closes the connections. The model cannot be used afterwards."""
        finish(self._close())

    def _reply(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        if not messages:
            raise ValueError('a chat needs at least one message')
        self._address.require_allowed()
        return call_within(
            lambda emit: self._answer(tuple(messages), options, emit),
            deadline_s=options.deadline_s,
            what=self.spec,
            on_text=on_text,
            cancelled=cancelled,
        )

    async def _answer(self, messages: Sequence[Message], options: ChatOptions, emit: Emit) -> ChatReply:
        try:
            return await self._ask(messages, options, emit)
        except LuccaError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a server makes the client raise is mapped
            mapped = self._mapped(error)
            cause = None if self._key.is_in(error) else error
        # Raised outside the handler, so that an error that shows the key does not become its context.
        raise mapped from cause

    async def _ask(self, messages: Sequence[Message], options: ChatOptions, emit: Emit) -> ChatReply:
        """Sends a request and reads the answer, passing its text to `emit`."""
        raise NotImplementedError

    def _mapped(self, error: Exception) -> ModelError:
        """The ModelError for an exception of the client, without the key."""
        raise NotImplementedError

    def _close(self) -> Coroutine[Any, Any, object]:
        raise NotImplementedError
