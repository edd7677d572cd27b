"""What calls to a language model cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What calls to one model cost. Adding two sums them; the model's spec of the left one is kept unless empty."""

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
