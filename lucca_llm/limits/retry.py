"""Retries of model calls, bounded in number and in time."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import tenacity

from lucca_core.errors import ModelError, ModelRetryable, ModelTimeout
from lucca_llm.config import RetryConfig
from lucca_llm.model import ChatModel, ChatOptions, ChatReply, Message

_logger = logging.getLogger(__name__)
_POLL_S = 0.02


def ask(
    model: ChatModel,
    messages: Sequence[Message],
    options: ChatOptions,
    *,
    config: RetryConfig | None = None,
    cancelled: Callable[[], bool] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> ChatReply:
    """One answer to a chat, with retries after failures that may pass.

    Args:
        model: the model to ask.
        messages: see ChatModel.chat.
        options: of each call; their `deadline_s`, in wall time, bounds all calls and waits together.
        config: number of calls and waits between them.
        cancelled: see ChatModel.chat; also ends a wait between two calls.
        clock: wall time in s.
        sleep: waits for a number of seconds.

    Raises:
        ModelUnusable: at once.
        ModelRetryable: the last one, once attempts or time are used up, the server asks for a longer wait than there
            is time, or the call is cancelled.
    """
    config = config or RetryConfig()
    end_s = clock() + options.deadline_s

    def wait(state: tenacity.RetryCallState) -> float:
        error = _error_of(state)
        wish_s = error.retry_after_s if isinstance(error, ModelRetryable) else None
        grown_s = min(config.first_wait_s * 2 ** (state.attempt_number - 1), config.longest_wait_s)
        return grown_s if wish_s is None else wish_s

    def give_up(state: tenacity.RetryCallState) -> bool:
        is_cancelled = cancelled is not None and cancelled()
        return is_cancelled or state.attempt_number >= config.attempts or clock() + state.upcoming_sleep >= end_s

    def wait_or_cancel(seconds: float) -> None:
        until_s = clock() + seconds
        while (left_s := until_s - clock()) > 0 and not (cancelled is not None and cancelled()):
            sleep(left_s if cancelled is None else min(_POLL_S, left_s))

    def before_sleep(state: tenacity.RetryCallState) -> None:
        _logger.warning('asking again in %.1f s: %s', state.upcoming_sleep, _error_of(state))

    def call() -> ChatReply:
        if cancelled is not None and cancelled():
            raise ModelRetryable(f'{model.spec} was cancelled')
        left_s = end_s - clock()
        if left_s <= 0:
            raise ModelTimeout(f'{model.spec}: no time left to ask again')
        return model.chat(messages, replace(options, deadline_s=left_s), cancelled=cancelled)

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(ModelRetryable),
        wait=wait,
        stop=give_up,
        sleep=wait_or_cancel,
        before_sleep=before_sleep,
        reraise=True,
    )(call)


def _error_of(state: tenacity.RetryCallState) -> ModelError | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, ModelError) else None
