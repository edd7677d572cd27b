"""A goal: what is asked for, where it is, and what came of it."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from lucca_core.protocol.usage import NOTHING_USED, ModelUsage

# Where a sentence may begin in a text of single spaces: a part of another one that reads the same is not one.
_BEGIN = r'(?:^|(?<=[.!?…"\')\]\u201d\u2019] ))'


class Status(StrEnum):
    """How a goal ended."""

    FINISHED = 'finished'
    SUSPENDED = 'suspended'
    CANCELLED = 'cancelled'
    FAILED = 'failed'
    REFUSED = 'refused'


class End(StrEnum):
    """What became of what a person asked for."""

    DONE = 'done'
    ASKED = 'asked'
    REFUSED = 'refused'
    FAILED = 'failed'


class Phase(StrEnum):
    """What a goal is at; feedback names it."""

    WAITING = 'waiting'
    SAYING = 'saying'
    RECALLED = 'recalled'
    UNDERSTOOD = 'understood'
    THINKING = 'thinking'
    ACTING = 'acting'
    ACTED = 'acted'
    SUSPENDED = 'suspended'


AS_UNDERSTOOD = 'as understood'
"""What a goal confirms instead of a call; see GoalRequest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRequest:
    """A task by name (`task`), or free text (`text`), by someone. A higher priority suspends what runs.

    Attributes:
        max_actions: suspend after so many actions of this goal; 0 for no limit.
        restart: forget what the log says was done, and begin anew.
        confirmed: the one call that the person confirms, for one execution, such as `give(pear)`, or AS_UNDERSTOOD:
            they agree to what the robot said that it understood; empty for none.
    """

    task: str = ''
    text: str = ''
    person: str = ''
    priority: int = 0
    max_actions: int = 0
    restart: bool = False
    confirmed: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFeedback:
    """One step of a running goal. `actions_done` are those with a verified effect so far, over all resumes."""

    step: int
    phase: Phase
    text: str = ''
    code: str = ''
    actions_done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalResult:
    """What came of a goal, and what it cost. The last four hold one number for each action of this goal; times in s.

    Attributes:
        understood: what was understood of the task before anything moved, in words.
        not_understood: the words of it that were not.
        question: what a person has to answer before the robot goes on; empty for nothing.
    """

    status: Status
    task: str = ''
    said: str = ''
    reason: str = ''
    understood: str = ''
    not_understood: tuple[str, ...] = ()
    question: str = ''
    to_confirm: str = ''
    actions_done: tuple[str, ...] = ()
    done_before: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    repeated: int = 0
    retries: int = 0
    refusals: int = 0
    coordinator: ModelUsage = NOTHING_USED
    worker: ModelUsage = NOTHING_USED
    overhead_s: tuple[float, ...] = ()
    planning_s: tuple[float, ...] = ()
    verify_wait_s: tuple[float, ...] = ()
    prompt_tokens: tuple[int, ...] = ()

    @property
    def finished(self) -> bool:
        """True when the task is complete."""
        return self.status == Status.FINISHED

    @property
    def end(self) -> End:
        """How it ended, in the words of a conversation: what is asked is neither refused nor failed."""
        if self.finished:
            return End.DONE
        if self.question:
            return End.ASKED
        return End.REFUSED if self.status == Status.REFUSED else End.FAILED

    def left_to_say(self, told: Iterable[str]) -> str:
        """What was said, without one occurrence of each sentence that was told as feedback."""
        said = ' '.join(self.said.split())
        left = list(said)
        for sentence in filter(None, told):
            for found in re.finditer(_BEGIN + re.escape(sentence) + r'(?= |$)', said):
                left[found.start() : found.end()] = ' ' * (found.end() - found.start())
        return ' '.join(''.join(left).split())

    def as_json(self) -> dict[str, Any]:
        """Everything, in types that json can write."""
        return {'end': self.end, **asdict(self)}
