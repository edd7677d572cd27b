"""What the command tells about goals and tasks, as values that print as JSON."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from lucca_core.protocol.usage import ModelUsage

SAID_PRIORITY = 10
"""A person who speaks up interrupts what was started from a terminal."""

# Where a sentence may begin in a text of single spaces: a part of another one that reads the same is not one.
_BEGIN = r'(?:^|(?<=[.!?…"\')\]\u201d\u2019] ))'


@dataclass(frozen=True, kw_only=True)
class GoalRequest:
    """A goal for the coordinator: a task by name, or free text. A higher priority suspends what runs."""

    task: str = ''
    text: str = ''
    person: str = ''
    priority: int = 0
    max_actions: int = 0
    restart: bool = False
    confirmed: str = ''


@dataclass(frozen=True, kw_only=True)
class GoalFeedback:
    """One step of a running goal. `phase` is waiting, thinking, saying, recalled, acting, acted or suspended."""

    step: int
    phase: str
    text: str
    code: str
    actions_done: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class GoalReport:
    """How a goal ended, with what it cost."""

    status: str
    task: str
    said: str
    reason: str
    to_confirm: str = ''
    actions_done: tuple[str, ...] = ()
    done_before: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    repeated: int = 0
    retries: int = 0
    refusals: int = 0
    coordinator: ModelUsage = field(default_factory=ModelUsage)
    worker: ModelUsage = field(default_factory=ModelUsage)
    overhead_s: tuple[float, ...] = ()
    planning_s: tuple[float, ...] = ()
    verify_wait_s: tuple[float, ...] = ()
    prompt_tokens: tuple[int, ...] = ()

    @property
    def finished(self) -> bool:
        """True when the task is complete."""
        return self.status == 'finished'

    def left_to_say(self, told: Iterable[str]) -> str:
        """What was said without the sentences that were told as feedback, each of them once however often it was said."""
        said = ' '.join(self.said.split())
        left = list(said)
        for sentence in filter(None, told):
            for found in re.finditer(_BEGIN + re.escape(sentence) + r'(?= |$)', said):
                left[found.start() : found.end()] = ' ' * (found.end() - found.start())
        return ' '.join(''.join(left).split())

    def as_json(self) -> dict[str, Any]:
        """Everything, in types that json can write."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class TaskReport:
    """The state of one task, as its log has it."""

    task: str
    description: str
    status: str
    actions_done: tuple[str, ...]
    left: tuple[str, ...]
    open_intent: str
    repeated: int
    retries: int
    described: bool = False
    done_before: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Everything, in types that json can write."""
        return asdict(self)
