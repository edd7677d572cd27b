"""Context sizes for Ollama models. With Ollama's default, the beginning of a long prompt would be dropped silently."""

import math
import threading
from dataclasses import dataclass

from lucca_core.errors import ModelUnusable
from lucca_llm.config import OllamaConfig


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """The `num_ctx` of one call. `tight`: it fits the estimated prompt, but not the margin on top."""

    num_ctx: int
    estimate_tokens: int
    tight: bool


class ContextSizer:
    """Chooses `num_ctx` from the estimated prompt, and corrects its estimates with the server's counts.

    Every change of `num_ctx` makes Ollama reload the model, so it grows in steps and never shrinks. Safe to use from
    several threads.
    """

    def __init__(self, config: OllamaConfig) -> None:
        self._config = config
        self._margin = config.estimate_margin
        self._largest = 0
        self._lock = threading.Lock()

    def plan(self, *, estimate_tokens: int, answer_tokens: int, context_length: int, what: str) -> ContextPlan:
        """The context size for a prompt and its answer.

        Raises:
            ModelUnusable: they exceed `context_length`, the tokens in the model's context.
        """
        if estimate_tokens + answer_tokens > context_length:
            raise ModelUnusable(
                f'{what}: the prompt does not fit its context: about {estimate_tokens} tokens and {answer_tokens} for'
                f' the answer, of {context_length}; nothing was sent'
            )
        with self._lock:
            wanted = math.ceil(estimate_tokens * self._margin) + answer_tokens
            step = self._config.context_step
            self._largest = max(self._largest, min(math.ceil(wanted / step) * step, context_length))
            return ContextPlan(self._largest, estimate_tokens, tight=wanted > self._largest)

    def learn(self, plan: ContextPlan, *, prompt_tokens: int, answer_tokens: int, what: str) -> None:
        """Learns from the server's token counts, which are zero if it gives none.

        Raises:
            ModelUnusable: the counts show that the prompt was truncated.
        """
        if not prompt_tokens:
            return
        overflowed = prompt_tokens + answer_tokens > plan.num_ctx
        shrunk = plan.tight and prompt_tokens < 0.6 * plan.estimate_tokens
        if overflowed or shrunk:
            raise ModelUnusable(
                f'{what}: the prompt was cut to fit: the server read {prompt_tokens} tokens of about'
                f' {plan.estimate_tokens}, in a context of {plan.num_ctx}'
            )
        with self._lock:
            self._margin = max(self._margin, 1.1 * prompt_tokens / max(1, plan.estimate_tokens))
