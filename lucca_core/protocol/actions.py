"""One action: the request, its progress and its result."""

from collections.abc import Iterable
from dataclasses import dataclass

from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import Snapshot


@dataclass(frozen=True, slots=True)
class ActionCall:
    """One action as the model asked for it: `move_to_box_1(pear)`. Its text form is `<move_to_box_1(pear)>`."""

    name: str
    argument: str

    def __str__(self) -> str:
        return f'<{self.name}({self.argument})>'

    @classmethod
    def from_text(cls, text: str) -> 'ActionCall':
        """The call that `str` wrote into a log or a report. Text from a model goes through the parser instead."""
        name, _, argument = text.removeprefix('<').removesuffix('>').partition('(')
        return cls(name, argument.removesuffix(')'))


def objects_of(calls: Iterable[str]) -> tuple[str, ...]:
    """The names of the objects of calls given as text, each once."""
    return tuple(dict.fromkeys(ActionCall.from_text(call).argument for call in calls))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """A request to carry out one action, with the snapshot on which it was decided.

    Attributes:
        text: the action as the model wrote it.
        confirmed_by: the person who confirmed it; empty if nobody did.
        settle_intent_id: if not 0, nothing moves: only check whether the effect of this open intent is there, and
            record the answer.
        answered_wall_s: when the model's answer was complete, in s since the epoch; 0 if that was not measured.
    """

    text: str
    task: str
    allowed_actions: tuple[str, ...]
    snapshot: Snapshot
    confirmed_by: str = ''
    settle_intent_id: int = 0
    answered_wall_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionProgress:
    """The progress of an action: `phase` is gated, recorded, planning, moving or verifying; `progress` is 0 to 1."""

    phase: str
    progress: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """How an action ended, with times in s. `intent_id` and `outcome_id` are 0 if no such entry was recorded."""

    code: ReasonCode
    message: str = ''
    action: str = ''
    object_id: str = ''
    intent_id: int = 0
    outcome_id: int = 0
    attempts: int = 0
    duration_s: float = 0.0
    overhead_before_s: float = 0.0
    planning_s: float = 0.0
    overhead_after_s: float = 0.0
    verify_wait_s: float = 0.0
