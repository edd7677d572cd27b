"""Reason codes: how an action ended, or why it was refused."""

from enum import StrEnum


class ReasonCode(StrEnum):
    """The closed list of codes: first the outcomes of actions that passed the gate, then the reasons of the gate."""

    DONE = 'done'
    EFFECT_NOT_SEEN = 'effect_not_seen'
    CANCELLED = 'cancelled'
    STOPPED = 'stopped'
    TIMEOUT = 'timeout'
    UNREACHABLE = 'unreachable'
    GRASP_FAILED = 'grasp_failed'
    HARDWARE_FAULT = 'hardware_fault'

    MALFORMED = 'malformed'
    SEVERAL_ACTIONS = 'several_actions'
    UNKNOWN_ACTION = 'unknown_action'
    UNKNOWN_OBJECT = 'unknown_object'
    NOT_VISIBLE = 'not_visible'
    NOT_ALLOWED_FOR_TASK = 'not_allowed_for_task'
    PROHIBITED = 'prohibited'
    PRECONDITION = 'precondition'
    BUSY = 'busy'
    NOT_CONFIRMED = 'not_confirmed'

    @property
    def is_refusal(self) -> bool:
        """Whether it is a reason of the gate, which refuses an action before anything moves.

        One of them may also end an action that has begun to move: `prohibited`, if the object is prohibited while the
        hand is on its way. Then the hand did not close around it, and an outcome was recorded.
        """
        return self in _REFUSALS


_REFUSALS = frozenset(
    {
        ReasonCode.MALFORMED,
        ReasonCode.SEVERAL_ACTIONS,
        ReasonCode.UNKNOWN_ACTION,
        ReasonCode.UNKNOWN_OBJECT,
        ReasonCode.NOT_VISIBLE,
        ReasonCode.NOT_ALLOWED_FOR_TASK,
        ReasonCode.PROHIBITED,
        ReasonCode.PRECONDITION,
        ReasonCode.BUSY,
        ReasonCode.NOT_CONFIRMED,
    }
)
