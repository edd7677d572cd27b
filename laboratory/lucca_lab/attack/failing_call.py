"""A call that fails a number of times while it is armed, for attacks on what must hold when a call fails."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any


@dataclass
class FailingCall:
    """An exception that a call raises a number of times while the fault is armed.

    Attributes:
        error: the exception; each time, a copy of it is raised.
        left: how often it is still raised.
        passes: calls that pass first while the fault is armed.
    """

    error: Exception
    left: int
    passes: int = 0
    armed: bool = False
    raised: int = 0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, which fails when it should."""

        def failing(*args: Any, **options: Any) -> Any:
            if self.fails_now():
                raise copy(self.error)
            return call(*args, **options)

        return failing

    def fails_now(self) -> bool:
        """Whether the call that is being made fails."""
        if not self.armed or self.left <= 0:
            return False
        if self.passes > 0:
            self.passes -= 1
            return False
        self.left -= 1
        self.raised += 1
        return True
