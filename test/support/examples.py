"""How many examples of a costly property are tried."""

import os


def examples(count: int) -> int:
    """This many; in CI, which tries the same ones each time, a half of them, but not fewer than four."""
    return max(min(count, 4), count // 2) if os.environ.get('CI') else count
