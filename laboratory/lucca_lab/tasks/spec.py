"""The specification of a trial, as plain values for worker processes and files."""

import hashlib
import random
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from lucca_llm.model_spec import AUTO, PROMPTS


class Mode(StrEnum):
    """How tasks follow each other within one chat ("…Multitask…", section IV-A, figure 4)."""

    STANDALONE = 'standalone'
    CONSECUTIVE = 'consecutive'
    INTERVENED = 'intervened'


class Ablation(StrEnum):
    """What is taken away from the stack with memory."""

    NONE = 'full stack'
    NO_WORKER = 'no worker'
    WORKING_ONLY = 'working memory only'
    DECLARATIVE_ONLY = 'declarative memory only'
    EXACT_LOG = 'exact log reading'
    NO_REPAIR = 'no repair'
    NO_VERIFICATION = 'no verification'


@dataclass(frozen=True, kw_only=True)
class Setting:
    """With what a trial is run."""

    coordinator: str = 'embedded'
    worker: str = ''
    """The coordinator's if empty."""
    context_tokens: int = 8192
    overflow: str = 'truncate'
    base_role: str = 'user'
    faults: str = ''
    """A profile of config/faults.yaml around both models."""
    fault_rate: float = -1.0
    """The profile's rates are scaled so that they add up to this; below 0 they stay as they are."""
    safeguards: bool = True
    """Repair, attention, correction by the log; without, the first wrong answer ends a task."""
    grammar: bool = True
    """Models are held to a grammar of the possible answers, where their server can; a safeguard like the others."""
    second_opinion: bool = False
    deliberate: bool = True
    """Where a model insists on what was refused, it is asked in other ways; a safeguard like the others."""
    slips: float = 0.0
    """Chance that an action has no effect on the table."""
    ablation: str = Ablation.NONE.value
    questions: bool = True
    """Questions about each task, for retention; without them a run of a slow model takes about half the time."""
    ask_late: bool = False
    """Questions are asked at the end of the session instead of after each task."""
    prompts: str = AUTO
    """Long or short, or short for a model with an adapter."""
    whole_dialogue: bool = False
    """With memory on, the whole dialogue is sent all the same, as in the paper."""
    containers: bool = True
    """The prompt of a step says what lies in the containers, too; the paper's names the objects on the table alone."""
    think_first: bool = False
    """The model thinks in words before each call, as the paper's."""
    must_retrieve: bool = True
    """Memories have to be retrieved before anything is done; off, that is left to the model, as in the paper."""
    record: str = ''
    replay: str = ''
    """Folders with one recording for each trial and model."""

    def __post_init__(self) -> None:
        if self.context_tokens < 1:
            raise ValueError(f'context_tokens must be positive, got {self.context_tokens}')
        if not 0 <= self.slips < 1:
            raise ValueError(f'slips must be within 0 and 1, got {self.slips}')
        if self.fault_rate > 1:
            raise ValueError(f'fault_rate must be at most 1, got {self.fault_rate}')
        Ablation(self.ablation)
        if self.prompts not in PROMPTS:
            raise ValueError(f'prompts must be one of {", ".join(PROMPTS)}, got {self.prompts!r}')


@dataclass(frozen=True, kw_only=True)
class TrialSpec:
    """One session: the tasks of one mode, in one chat. `suite` and `variant` say what it is part of."""

    suite: str
    mode: str
    memory: bool
    tasks: tuple[str, ...]
    index: int
    seed: int
    variant: str = ''
    shuffle_tasks: bool = False
    setting: Setting = field(default_factory=Setting)
    extra: tuple[tuple[str, int], ...] = ()
    """Numbers that only one suite knows, such as the step at which a task is interrupted."""

    @property
    def trial_id(self) -> str:
        """Names the trial among all of a run."""
        memory = 'memory' if self.memory else 'plain'
        tasks = self.tasks[0] if len(self.tasks) == 1 else 'all'
        numbers = ','.join(f'{name}={number}' for name, number in self.extra)
        parts = (self.suite, self.variant, self.mode, memory, tasks, numbers, str(self.index))
        return '/'.join(part for part in parts if part)

    def chance(self, purpose: str) -> random.Random:
        """A source of chance. The same for a trial with and without memory, and in every variant, so that they pair."""
        return random.Random(f'{self.seed}:{purpose}:{self.mode}:{self.tasks}:{self.extra}:{self.index}')

    def fault_seed(self, who: str) -> int:
        """The seed of the faults around one model of this trial; independent of those of any other trial."""
        text = f'{self.seed}:{who}:{self.trial_id}'
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], 'big')

    def model_seed(self, who: str) -> int:
        """The seed of the first answer of one model of this trial, the same with and without memory."""
        return self.chance(f'answers of the {who}').randrange(500_000)

    def number(self, name: str) -> int:
        """One of `extra`.

        Raises:
            KeyError: there is none of this name.
        """
        return dict(self.extra)[name]

    def as_json(self) -> dict[str, Any]:
        """For files."""
        return asdict(self)
