"""The rule-based model: a ChatModel that reads prompts by rules and needs no language model."""

import re
import time
from collections.abc import Callable, Sequence

from lucca_core.errors import ModelRetryable, ModelUnusable
from lucca_language.reading.reading import read
from lucca_language.words.disfluencies import fluent
from lucca_llm.limits.tokens import estimate_prompt_tokens, estimate_tokens
from lucca_llm.model import ChatOptions, ChatReply, Message
from lucca_llm.rules.answers.conversation_answers import answer_talk, is_conversation
from lucca_llm.rules.answers.coordinator_answers import answer_coordinator
from lucca_llm.rules.answers.recall_answers import answer_recall, is_question
from lucca_llm.rules.answers.review_answers import answer_review, is_review
from lucca_llm.rules.answers.self_description import WHAT_I_AM
from lucca_llm.rules.answers.worker_answers import answer_worker
from lucca_llm.rules.prompts.context_window import within_window
from lucca_llm.rules.prompts.joined_names import with_joined_names
from lucca_llm.rules.prompts.prompt_reader import read_offered

CONTEXT_TOKENS = 8192


def reads_by_rules(spec: str) -> bool:
    """Whether a model spec selects the rule-based model, be it plain, recorded, faulty or with one behind it."""
    return re.search(r'(^|:)embedded(:|\+|$)', spec) is not None


def unread_words(description: str) -> tuple[str, ...]:
    """The words of a description that the rule-based model makes no use of."""
    return tuple(dict.fromkeys(read(fluent(description)).unread))


class RuleBasedModel:
    """Answers from the messages and the lexicon alone, without a language model, network or state.

    The same messages always get the same answer. Safe to call from several threads.
    """

    def __init__(self, *, context_tokens: int = CONTEXT_TOKENS) -> None:
        """A model that sees the end of each chat.

        Args:
            context_tokens: size of the context window, in estimated tokens. Older text is not seen.

        Raises:
            ValueError: `context_tokens` is not positive.
        """
        if context_tokens < 1:
            raise ValueError(f'context_tokens must be positive, got {context_tokens}')
        self._context_tokens = context_tokens

    @property
    def spec(self) -> str:
        """The string that chooses this model."""
        return 'embedded' if self._context_tokens == CONTEXT_TOKENS else f'embedded:{self._context_tokens}'

    def chat(
        self,
        messages: Sequence[Message],
        options: ChatOptions,
        *,
        on_text: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ChatReply:
        """One answer, at once. Of the options only `max_tokens` matters; see ChatModel.chat.

        Raises:
            ModelRetryable: the call was cancelled.
            ModelUnusable: there is no message.
        """
        if not messages:
            raise ModelUnusable('there is no message to answer')
        if cancelled is not None and cancelled():
            raise ModelRetryable('the call was cancelled')
        start = time.perf_counter()
        seen = within_window(messages, self._context_tokens)
        text = answer(seen)
        finish = 'stop'
        if estimate_tokens(text) > options.max_tokens:
            text, finish = _cut(text, options.max_tokens), 'length'
        if on_text is not None:
            on_text(text)
        return ChatReply(
            text=text,
            prompt_tokens=estimate_prompt_tokens(seen),
            completion_tokens=estimate_tokens(text),
            model_s=time.perf_counter() - start,
            finish_reason=finish,
        )

    def check(self, deadline_s: float) -> None:
        """Always answers; see ChatModel.check."""


def answer(messages: Sequence[Message]) -> str:
    """The answer to a chat, from its text alone."""
    if not messages:
        return WHAT_I_AM
    joined, restored = with_joined_names(messages)
    return restored(_answer(joined))


def _answer(messages: Sequence[Message]) -> str:
    system = '\n'.join(message.content for message in messages if message.role == 'system')
    latest = messages[-1].content
    offered = read_offered(system)
    # First, because quoted speech and memories may look like any of the other prompts.
    if is_conversation(offered):
        return answer_talk(messages, offered)
    if is_question(latest):
        return answer_recall(messages)
    if is_review(latest):
        return answer_review(latest)
    listed = answer_worker(latest, system)
    if listed is not None:
        return listed
    offered = offered or read_offered('\n'.join(message.content for message in messages if message.role == 'user'))
    if is_conversation(offered):
        return answer_talk(messages, offered)
    if offered or len(messages) > 1:
        return answer_coordinator(messages)
    return WHAT_I_AM


def _cut(text: str, tokens: int) -> str:
    while text and estimate_tokens(text) > tokens:
        text = text[: max(0, len(text) - 1 - len(text) // 8)]
    return text
