"""Settings of the worker's memory of people and facts."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class DeskConfig:
    """Which sources are trusted, where memories are kept, how many are recalled; the only home of these defaults."""

    store: str = setting(
        '',
        'Where what people say is kept: sqlite (in the data folder) or postgresql://HOST/DATABASE, shared by robots; '
        'empty for LUCCA_STORE or sqlite.',
    )
    facts_dir: str = setting(
        '', 'Folder of .txt and .md files to look facts up in; empty for the folder facts in the data folder.'
    )
    trusted_sources: tuple[str, ...] = setting(
        ('speech', 'cli'),
        'Sources of conversations that are trusted to say who is speaking; people from others are guests.',
    )
    recall_limit: int = setting(8, 'Most memories of one recall, unless the request gives a limit.', least=1)
    recall_tokens: int = setting(
        1000, 'Most tokens of the memories of one recall, unless the request gives a limit.', least=1
    )
    opening_tokens: int = setting(
        120, 'Most tokens of what is recalled from last time when a person is met again.', least=1
    )
    text_chars: int = setting(20_000, 'Longest utterance or answer that is accepted, in characters.', least=1)
    most_guests: int = setting(
        100, 'Most guests remembered at a time; for a further one, the one known longest is forgotten.', least=1
    )
    summary_answer_tokens: int = setting(300, 'Longest summary, in tokens.', least=1)
    summary_deadline_s: float = setting(120.0, 'Longest wait for the model to write a summary, in s.', above=0)
    retry_s: float = setting(60.0, 'Wait before a failed summary or embedding is tried again, in s.', above=0)

    def __post_init__(self) -> None:
        check_bounds(self)
