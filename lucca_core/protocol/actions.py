"""One action: what is asked for, how far it is, and how it ended."""

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
        """The call that `str` wrote into a log or a report. What a model wrote goes through the parser instead."""
        name, _, argument = text.removeprefix('<').removesuffix('>').partition('(')
        return cls(name, argument.removesuffix(')'))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """One action to be done, with the snapshot it was decided on.

    Attributes:
        text: as the model wrote it.
        confirmed_by: the person who confirmed it; empty for nobody.
        settle_intent_id: if not 0, move nothing: judge whether the effect of this open intent is there and record it.
        answered_wall_s: when the model had answered, in epoch s; 0 where that was not measured.
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
    """How far an action is: `phase` is gated, recorded, planning, moving or verifying, `progress` 0 to 1."""

    phase: str
    progress: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """How an action ended; times in s. `intent_id` and `outcome_id` are 0 where no entry was recorded."""

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
