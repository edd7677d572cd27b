"""A model around a model: what windows, recordings and tapes have in common."""

from collections.abc import Callable, Sequence

from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, has_native_tools

Ask = Callable[[Sequence[Message]], ChatReply]
"""Asks the model inside, with the options and callbacks of the call."""


class ModelWrapper:
    """Passes every call on to the model inside; `_around` is where a wrapper does its part. See ChatModel."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

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
        """One answer; see ChatModel."""

        def ask(sent: Sequence[Message]) -> ChatReply:
            return self._model.chat(sent, options, on_text=on_text, cancelled=cancelled)

        return self._around(messages, options, ask, cancelled or _never)

    def check(self, deadline_s: float) -> None:
        """See ChatModel; asked of the model inside."""
        self._model.check(deadline_s)

    def close(self) -> None:
        """Closes the connections of the model inside, if it has any."""
        if (close := getattr(self._model, 'close', None)) is not None:
            close()

    def _around(
        self, messages: Sequence[Message], options: ChatOptions, ask: Ask, cancelled: Callable[[], bool]
    ) -> ChatReply:
        raise NotImplementedError


def _never() -> bool:
    return False
