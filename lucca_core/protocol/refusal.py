"""Why a service does not do what it was asked to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing was done, for this reason."""

    reason: str
