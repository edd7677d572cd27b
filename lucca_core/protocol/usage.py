"""The cost of calls to language models."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """The cost of calls to one model. `+` sums the numbers and keeps the left `model` unless it is empty."""

    model: str = ''
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_s: float = 0.0

    def __add__(self, other: 'ModelUsage') -> 'ModelUsage':
        return ModelUsage(
            model=self.model or other.model,
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            model_s=self.model_s + other.model_s,
        )


NOTHING_USED = ModelUsage()
