"""Settings of retries and of Ollama's context, with their defaults."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class RetryConfig:
    """How often and how soon a model is asked again."""

    attempts: int = setting(3, 'Calls in total before giving up on a retryable failure.', least=1)
    first_wait_s: float = setting(0.5, 'Wait before the second call, in seconds; doubled for each further one.')
    longest_wait_s: float = setting(
        8.0, 'Longest wait between two calls, in seconds, unless the server asks for another.'
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if not 0 <= self.first_wait_s <= self.longest_wait_s:
            raise ValueError(
                f'first_wait_s must be within 0 and longest_wait_s, got {self.first_wait_s} and {self.longest_wait_s}'
            )


@dataclass(frozen=True, kw_only=True)
class OllamaConfig:
    """How the context of an Ollama model is sized."""

    context_step: int = setting(
        2048, 'num_ctx is rounded up to a multiple of this, so that Ollama rarely reloads the model.', least=1
    )
    estimate_margin: float = setting(
        1.3, 'Factor on the estimated length of the prompt, as there is no tokenizer.', least=1
    )
    fallback_context: int = setting(8192, "Context length assumed if the server does not report the model's.")

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.fallback_context < self.context_step:
            raise ValueError(f'fallback_context must not be below context_step, got {self.fallback_context}')
