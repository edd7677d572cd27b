"""A fault found by the judge: the broken law, the object and the time."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One broken law. `object` is the object, joint, hand or place concerned; `time_s` is the first moment, or None if
    the fault has no time."""

    law: str
    object: str
    time_s: float | None
    text: str

    def as_json(self) -> dict[str, Any]:
        """All attributes, in types that JSON can hold."""
        return asdict(self)

    def __str__(self) -> str:
        when = '' if self.time_s is None else f' at {self.time_s:.2f} s'
        return f'{self.law}: {self.object} {self.text}{when}'
