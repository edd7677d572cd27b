"""Goals: requests, feedback and results."""

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from lucca_core.protocol.usage import NOTHING_USED, ModelUsage

# Where a sentence may begin in a text with single spaces. The same words in the middle of a sentence do not count.
_BEGIN = r'(?:^|(?<=[.!?…"\')\]\u201d\u2019] ))'


class Status(StrEnum):
    """How a goal ended."""

    FINISHED = 'finished'
    SUSPENDED = 'suspended'
    CANCELLED = 'cancelled'
    FAILED = 'failed'
    REFUSED = 'refused'


class End(StrEnum):
    """How a person's request ended."""

    DONE = 'done'
    ASKED = 'asked'
    REFUSED = 'refused'
    FAILED = 'failed'


class Phase(StrEnum):
    """What a running goal is doing; given in its feedback."""

    WAITING = 'waiting'
    SAYING = 'saying'
    RECALLED = 'recalled'
    UNDERSTOOD = 'understood'
    THINKING = 'thinking'
    ACTING = 'acting'
    ACTED = 'acted'
    SUSPENDED = 'suspended'


AS_UNDERSTOOD = 'as understood'
"""What `GoalRequest.confirmed` holds if the person confirms what the robot understood, not a single call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRequest:
    """A task by name (`task`) or free text (`text`), from a person. A higher priority suspends the running goal.

    Attributes:
        max_actions: suspend after this many actions of this goal; 0 for no limit.
        restart: start from the beginning and ignore what was done according to the log.
        confirmed: the one call that the person confirms, for one execution, such as `give(pear)`; or AS_UNDERSTOOD if
            they agree with what the robot said it understood; empty for none.
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
    """One step of a running goal. `actions_done`: those with a verified effect so far, including earlier runs."""

    step: int
    phase: Phase
    text: str = ''
    code: str = ''
    actions_done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


OnFeedback = Callable[[GoalFeedback], None]
"""Takes each piece of feedback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalResult:
    """How a goal ended and what it cost. The last four fields hold one number per action of this goal; times in s.

    Attributes:
        understood: how the task was understood before anything moved, in words.
        not_understood: the words of the task that were not understood.
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
        """Whether the task is complete."""
        return self.status == Status.FINISHED

    @property
    def end(self) -> End:
        """How the request ended for the person; a question counts as ASKED, not as a refusal or a failure."""
        if self.finished:
            return End.DONE
        if self.question:
            return End.ASKED
        return End.REFUSED if self.status == Status.REFUSED else End.FAILED

    def left_to_say(self, told: Iterable[str]) -> str:
        """`said` without the sentences that were already told as feedback; each removes one occurrence."""
        said = ' '.join(self.said.split())
        left = list(said)
        for sentence in filter(None, told):
            for found in re.finditer(_BEGIN + re.escape(sentence) + r'(?= |$)', said):
                left[found.start() : found.end()] = ' ' * (found.end() - found.start())
        return ' '.join(''.join(left).split())

    def as_json(self) -> dict[str, Any]:
        """All fields and `end`, in types that json can write."""
        return {'end': self.end, **asdict(self)}
