"""The end of an action that has a recorded intent."""

from dataclasses import dataclass

from lucca_core.codes import ReasonCode


@dataclass(frozen=True, slots=True)
class ActionEnd:
    """How an action ended, and why. `uncertain`: whether its effect is there is not known for certain."""

    code: ReasonCode
    message: str
    attempts: int = 0
    uncertain: bool = False
