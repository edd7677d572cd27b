"""Settings of models that run on this machine."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class LocalConfig:
    """How a local model is run."""

    context_tokens: int = setting(
        8192, 'Longest prompt and answer together; the model may be trained for less.', least=64
    )
    threads: int = setting(
        0,
        'Threads of the model; 0: half as many as cores, as threads wait for each other on a busy machine.',
        least=0,
    )
    cache_mb: int = setting(
        256,
        'Memory for evaluated prompts, in MB; a prompt with a known beginning is evaluated from there on.',
        least=0,
    )
    memory_mb: int = setting(
        4096,
        'Address space of the process besides the model file, in MB; a process that needs more is ended.',
        least=64,
    )
    adapter: str = setting('', 'GGUF file of an adapter (LoRA) on the model; empty: the model as it is.')
    start_s: float = setting(120.0, 'Longest time until the model is loaded, in s.', above=0)
    grace_s: float = setting(5.0, 'Time for a call that is over to return before the process is ended, in s.', above=0)

    def __post_init__(self) -> None:
        check_bounds(self)
