"""`ModelExchange`, the record of one model call, and `ObservedModel`, which reports each call to an observer."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar

from lucca_core.errors import ModelError
from lucca_core.protocol.observations import Observe
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.wrapper import ModelWrapper

FOR_GOAL: ContextVar[str] = ContextVar('FOR_GOAL', default='')
"""Id of the goal for which this thread calls models; empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExchange:
    """One call of a model.

    Attributes:
        asker: the owner of the model, coordinator or worker.
        model: its spec, without keys.
        messages: the chat that was sent.
        options: sampling and limits.
        reply: None if the call failed.
        error: why it failed; empty if it did not.
        goal: id of the goal for which the call was made; empty if unknown.
    """

    KIND: ClassVar[str] = 'exchange'

    asker: str
    model: str
    messages: tuple[Message, ...]
    options: ChatOptions
    reply: ChatReply | None = None
    error: str = ''
    goal: str = ''


class ObservedModel(ModelWrapper):
    """Reports every call of the wrapped model to an observer, including failed ones."""

    def __init__(self, model: ChatModel, asker: str, observe: Observe) -> None:
        """
        Args:
            model: the model to ask.
            asker: the owner of the model.
            observe: receives a ModelExchange for each call.
        """
        super().__init__(model)
        self._asker = asker
        self._observe = observe

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer; see ChatModel."""

        def tell(reply: ChatReply | None, error: str) -> None:
            exchange = ModelExchange(
                asker=self._asker,
                model=self.spec,
                messages=tuple(messages),
                options=options,
                reply=reply,
                error=error,
                goal=FOR_GOAL.get(),
            )
            self._observe(exchange)

        try:
            reply = self._model.chat(messages, options, on_text=on_text, cancelled=cancelled)
        except ModelError as error:
            tell(None, str(error))
            raise
        tell(reply, '')
        return reply
