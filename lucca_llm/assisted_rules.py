"""The embedded reasoner with a language model behind it: `embedded+SPEC`.

The rules read every sentence first, and what they understand is theirs alone. The language model is asked in two cases:
for small talk and questions about the world (`small_talk.py`), and for what an unclear request may mean
(`proposals.py`), about which the person is asked. So it can start, look up and keep nothing by itself. If it fails, the
answer of the rules stands.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from lucca_core.errors import ModelError
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message
from lucca_llm.proposal_examples import load_examples
from lucca_llm.proposals import proposed, show_examples
from lucca_llm.rules.answers.open_talk import open_turn
from lucca_llm.rules.answers.unclear_requests import proposal_question, unclear_request
from lucca_llm.rules.prompts.conversation_prompt import with_said
from lucca_llm.rules.rule_based_model import RuleBasedModel, answer
from lucca_llm.small_talk import small_talk

_log = logging.getLogger(__name__)
_LEAST_TIME_S = 1.0
"""For the examples, if the first answer took all the time. A model that reads on afterwards has read them then."""


class AssistedRules:
    """A ChatModel: `embedded+SPEC`. Safe to call from several threads.

    Args:
        rules: reads and answers everything.
        model: writes what the rules leave open.

    Raises:
        ConfigError: the examples of proposals are missing or wrong.
    """

    def __init__(self, rules: RuleBasedModel, model: ChatModel) -> None:
        self._rules = rules
        self._model = model
        self._examples = load_examples()

    @property
    def spec(self) -> str:
        """Both specs, joined by `+`."""
        return f'{self._rules.spec}+{self._model.spec}'

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer; see ChatModel. A model that fails is told in the log, and the answer of the rules is given.

        Raises:
            ModelRetryable: the call was cancelled.
            ModelUnusable: there is no message.
        """
        reply = self._rules.chat(messages, options, cancelled=cancelled)
        try:
            written = self._written(messages, reply.text, options, cancelled)
        except ModelError as error:
            if cancelled is not None and cancelled():
                raise
            _log.warning('the rules answer alone: %s: %s', self._model.spec, error)
            written = None
        if written is not None:
            reply = replace(
                reply,
                text=written.text or reply.text,
                finish_reason='stop' if written.text else reply.finish_reason,
                prompt_tokens=reply.prompt_tokens + written.prompt_tokens,
                completion_tokens=reply.completion_tokens + written.completion_tokens,
                model_s=reply.model_s + written.model_s,
            )
        if on_text is not None:
            on_text(reply.text)
        return reply

    def check(self, deadline_s: float) -> None:
        """Makes the language model answer once; see ChatModel.

        What is left of the time is used to show it the examples of proposals: a model on this machine remembers them,
        so that nobody waits for that later.
        """
        end_s = time.monotonic() + deadline_s
        self._model.check(deadline_s)
        try:
            show_examples(self._model, self._examples, max(_LEAST_TIME_S, end_s - time.monotonic()))
        except ModelError as error:
            _log.warning('the first proposal of %s will take longer: %s', self._model.spec, error)

    def close(self) -> None:
        """Closes the language model's connections, if it has any."""
        if (close := getattr(self._model, 'close', None)) is not None:
            close()

    def _written(
        self,
        messages: Sequence[Message],
        by_rules: str,
        options: ChatOptions,
        cancelled: Callable[[], bool] | None,
    ) -> ChatReply | None:
        """The model's reply, with an empty text if the answer by rules stands; None if the model was not asked."""
        if (turn := open_turn(messages, by_rules)) is not None:
            return small_talk(turn, self._model, options, cancelled)
        if (request := unclear_request(messages, by_rules)) is not None:
            reply = proposed(request, self._model, self._examples, options, cancelled)
            asked = proposal_question(reply.text, by_rules, lambda text: answer(with_said(messages, text)))
            return replace(reply, text=asked or '')
        return None
