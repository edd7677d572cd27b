"""The specification of a trial, as plain values that can be sent to worker processes and written to files."""

import hashlib
import random
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from coordinator_node.config import CoordinatorConfig
from lucca_llm.model_spec import AUTO, PROMPTS


class Mode(StrEnum):
    """How tasks follow each other within one chat ("Robots Can Multitask Too", section IV-A, figure 4)."""

    STANDALONE = 'standalone'
    CONSECUTIVE = 'consecutive'
    INTERVENED = 'intervened'


class Ablation(StrEnum):
    """The part that is removed from the stack with memory."""

    NONE = 'full stack'
    NO_WORKER = 'no worker'
    WORKING_ONLY = 'working memory only'
    DECLARATIVE_ONLY = 'declarative memory only'
    EXACT_LOG = 'exact log reading'
    NO_REPAIR = 'no repair'
    NO_VERIFICATION = 'no verification'


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The settings of a trial."""

    coordinator: str = 'embedded'
    worker: str = ''
    """The worker's model; the coordinator's if empty."""
    context_tokens: int = 8192
    overflow: str = 'truncate'
    base_role: str = 'user'
    faults: str = ''
    """The name of a profile in config/faults.yaml that is applied to both models."""
    fault_rate: float = -1.0
    """The sum to which the profile's rates are scaled; below 0 they are not scaled."""
    safeguards: bool = True
    """Whether repair, attention and correction by the log are on. Without them, the first wrong answer ends a task."""
    grammar: bool = True
    """Whether models are held to a grammar of possible answers, if their server can do this. It needs `safeguards`."""
    second_opinion: bool = False
    deliberate: bool = True
    """Whether a model that insists on a refused action is asked in other ways. It needs `safeguards`."""
    slips: float = 0.0
    """The probability that an action has no effect on the table."""
    ablation: str = Ablation.NONE.value
    questions: bool = True
    """Whether questions are asked about each task, for retention. With a slow model they take half of the time."""
    ask_late: bool = False
    """Whether questions are asked at the end of the session instead of after each task."""
    prompts: str = AUTO
    """The length of the prompts: long, short, or automatic, which is short for a model with an adapter."""
    whole_dialogue: bool = False
    """Whether the whole dialogue is sent even with memory, as in the paper."""
    containers: bool = True
    """Whether a step's prompt also lists what lies in the containers. The paper's names only objects on the table."""
    think_first: bool = False
    """Whether the model thinks in words before each call, as in the paper."""
    must_retrieve: bool = True
    """Whether memories must be retrieved before any action. If not, this is left to the model, as in the paper."""
    answer_tokens: int = CoordinatorConfig().answer_tokens
    """The longest answer of both models. A small model without a grammar seldom ends by itself."""
    record: str = ''
    replay: str = ''
    """Folders to record calls to and to replay calls from, with one file for each trial and model."""

    def __post_init__(self) -> None:
        if self.context_tokens < 1:
            raise ValueError(f'context_tokens must be positive, got {self.context_tokens}')
        if self.answer_tokens < 1:
            raise ValueError(f'answer_tokens must be positive, got {self.answer_tokens}')
        if not 0 <= self.slips < 1:
            raise ValueError(f'slips must be within 0 and 1, got {self.slips}')
        if self.fault_rate > 1:
            raise ValueError(f'fault_rate must be at most 1, got {self.fault_rate}')
        Ablation(self.ablation)
        if self.prompts not in PROMPTS:
            raise ValueError(f'prompts must be one of {", ".join(PROMPTS)}, got {self.prompts!r}')


@dataclass(frozen=True, kw_only=True)
class TrialSpec:
    """One session: the tasks of one mode in one chat. `suite` and `variant` name the experiment to which it belongs."""

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
    """Numbers that only one suite uses, such as the step at which a task is interrupted."""

    @property
    def trial_id(self) -> str:
        """A name that is unique among all trials of a run."""
        memory = 'memory' if self.memory else 'plain'
        tasks = self.tasks[0] if len(self.tasks) == 1 else 'all'
        numbers = ','.join(f'{name}={number}' for name, number in self.extra)
        parts = (self.suite, self.variant, self.mode, memory, tasks, numbers, str(self.index))
        return '/'.join(part for part in parts if part)

    def chance(self, purpose: str) -> random.Random:
        """Random numbers for a purpose. They do not depend on memory and variant, so that trials can be paired."""
        return random.Random(f'{self.seed}:{purpose}:{self.mode}:{self.tasks}:{self.extra}:{self.index}')

    def fault_seed(self, who: str) -> int:
        """The seed of the faults of one model in this trial; independent of every other trial."""
        text = f'{self.seed}:{who}:{self.trial_id}'
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], 'big')

    def model_seed(self, who: str) -> int:
        """The seed of the first answer of one model in this trial; the same with and without memory."""
        return self.chance(f'answers of the {who}').randrange(500_000)

    def number(self, name: str) -> int:
        """The value of one of `extra`.

        Raises:
            KeyError: there is no such name.
        """
        return dict(self.extra)[name]

    def as_json(self) -> dict[str, Any]:
        """All values, for files."""
        return asdict(self)
