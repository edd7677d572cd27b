"""Settings of the memory of people."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class PeopleConfig:
    """When conversations are summarised, and which embedder is used."""

    embedding: str = setting(
        'auto', 'Embedding spec: auto, minilm, mpnet, sentence-transformers:…, ollama:…, openai:…, none.'
    )
    short_term_tokens: int = setting(
        2000, 'Tokens of short-term memory above which its older part is summarised.', least=1
    )
    kept_tokens: int = setting(800, 'Tokens of the newest turns that a summary leaves word for word.')
    summary_tokens: int = setting(1500, 'Maximum tokens of conversation in one summary.', least=1)
    embed_at_once: int = setting(32, 'Lines embedded in one go in the background.', least=1)

    def __post_init__(self) -> None:
        check_bounds(self)
        if not 0 <= self.kept_tokens < self.short_term_tokens:
            raise ValueError(f'kept_tokens must be below short_term_tokens, got {self.kept_tokens}')
