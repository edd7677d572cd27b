"""Base class of models that wrap another model, such as context windows, recordings and meters."""

from collections.abc import Callable, Sequence

from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message, has_native_tools, notice_of

Ask = Callable[[Sequence[Message]], ChatReply]
"""Asks the wrapped model, with the options and callbacks of the call."""


class ModelWrapper:
    """Passes every call on to the wrapped model; subclasses override `_around`. See ChatModel."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def spec(self) -> str:
        """The wrapped model's."""
        return self._model.spec

    @property
    def native_tools(self) -> bool:
        """The wrapped model's."""
        return has_native_tools(self._model)

    def notice(self, deadline_s: float) -> str:
        """The wrapped model's."""
        return notice_of(self._model, deadline_s)

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
        """Checks the wrapped model; see ChatModel."""
        self._model.check(deadline_s)

    def close(self) -> None:
        """Closes the wrapped model's connections, if it has any."""
        if (close := getattr(self._model, 'close', None)) is not None:
            close()

    def _around(
        self, messages: Sequence[Message], options: ChatOptions, ask: Ask, cancelled: Callable[[], bool]
    ) -> ChatReply:
        raise NotImplementedError


def _never() -> bool:
    return False
