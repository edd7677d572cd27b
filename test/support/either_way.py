"""Cases that hold with memory and from the dialogue alone.

`make test` has each of them once, with memory and without in turn; `make soak` has the other way.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest


def either_way(cases: Sequence[tuple[Any, ...]], name: Callable[[tuple[Any, ...]], str]) -> list[Any]:
    """The parameters of each case with `memory` behind them. `name` gives the id of a case."""
    return [
        pytest.param(
            *case,
            memory,
            id=f'{name(case)}-{"memory" if memory else "dialogue"}',
            marks=() if memory == (number % 2 == 0) else pytest.mark.slow,
        )
        for number, case in enumerate(cases)
        for memory in (True, False)
    ]
