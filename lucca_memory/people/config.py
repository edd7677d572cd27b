"""Settings of the memory of people."""

from dataclasses import dataclass

from lucca_core.settings import setting


@dataclass(frozen=True, kw_only=True)
class PeopleConfig:
    """How much is kept word for word before it is summarised, and how meaning is found."""

    embedding: str = setting('auto', 'Embedding spec: auto, minilm, sentence-transformers:…, ollama:…, openai:…, none.')
    short_term_tokens: int = setting(2000, 'Tokens of short-term memory from which its older part is summarised.')
    kept_tokens: int = setting(800, 'Tokens of the newest turns that a summary leaves word for word.')
    summary_tokens: int = setting(1500, 'Most tokens of conversation that go into one summary.')
    embed_at_once: int = setting(32, 'Lines embedded in one go in the background.')

    def __post_init__(self) -> None:
        for name in ('short_term_tokens', 'summary_tokens', 'embed_at_once'):
            if getattr(self, name) < 1:
                raise ValueError(f'{name} must be at least 1, got {getattr(self, name)}')
        if not 0 <= self.kept_tokens < self.short_term_tokens:
            raise ValueError(f'kept_tokens must be below short_term_tokens, got {self.kept_tokens}')
