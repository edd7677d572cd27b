"""Settings of the worker: its model and prompts, its data and task files, and limits on logs, answers and time."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting
from lucca_llm.model import MOST_ANSWER_BYTES
from lucca_llm.model_spec import AUTO, PROMPTS

MOST_DAYS = 36_500
"""A hundred years: longer than anybody waits, and still small enough for date arithmetic."""


@dataclass(frozen=True, kw_only=True)
class WorkerConfig:
    """Settings of the worker; the only home of their defaults."""

    llm: str = setting('embedded', 'Model spec of the worker.')
    data_dir: str = setting(
        '', "Data folder; empty for LUCCA_DATA_DIR or the user's data folder, with -NAMESPACE appended."
    )
    log_key: str = setting(
        '', 'File of the key that signs the logs; empty for LUCCA_LOG_KEY, or unsigned logs if it is not set.'
    )
    tasks_file: str = setting('', 'Task file; empty for config/tasks.yaml.')
    actions_file: str = setting('', 'Action file; empty for config/actions.yaml.')
    correct: bool = setting(True, 'Correct what the model misreads in the log; off: its errors are only counted.')
    exact_log: bool = setting(False, 'Read the log by code instead of asking the model what it says.')
    environment: bool = setting(
        False, 'Also read from the log which objects are left on the table, though the robot can look for itself.'
    )
    prompts: str = setting(
        AUTO,
        'How the model is asked which objects a task needs: long (all at once), short (one by one, for small models) '
        'or auto (short for a model with an adapter).',
    )
    seed: int = setting(-1, 'Seed of the answers, increased with each call; -1: the server draws one.', least=-1)
    log_entries: int = setting(3, 'Newest entries of a log that the model is shown.', least=1)
    latest_actions: int = setting(3, 'Newest actions that the summary of a log names one by one.', least=0)
    done_actions: int = setting(60, 'Newest actions that the model is told of when it selects objects.', least=0)
    temperature: float = setting(0.2, 'Sampling temperature of the worker model.', most=2)
    answer_tokens: int = setting(256, 'Longest answer of the model, in tokens.', least=1)
    answer_bytes: int = setting(
        MOST_ANSWER_BYTES, "Longest response that is read from a model's server, in decoded bytes.", least=1
    )
    constrain: bool = setting(True, 'Send a grammar of the possible answers with each call, if the server supports it.')
    described_days: float = setting(
        7.0,
        'Days of 24 h, after its end and its last use, until a task that was only described is forgotten.',
        above=0,
        most=MOST_DAYS,
    )
    changed_s: float = setting(
        2.0,
        "How long an effect of a task must be seen undone before that is recorded, in s of the snapshots' time.",
        most=3600,
    )
    repairs: int = setting(1, 'Times a wrong answer is shown back to the model.', least=0)
    model_attempts: int = setting(3, 'Model calls in total before giving up on a failure that may pass.', least=1)
    model_deadline_s: float = setting(
        30.0, 'Longest wait for one answer of the model, retries included, in s.', above=0
    )
    check_deadline_s: float = setting(10.0, 'Longest wait for a first answer of the model, in seconds.', above=0)

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.prompts not in PROMPTS:
            raise ValueError(f'prompts must be one of {", ".join(PROMPTS)}, got {self.prompts!r}')
