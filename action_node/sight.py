"""What may be moved upon: a frame that is not old."""

import time
from collections.abc import Callable

from action_node.seams import Parts
from action_node.valve import CLOCK_BACK_S
from lucca_core.codes import ReasonCode
from lucca_core.errors import RefusalError
from lucca_core.protocol.snapshots import Snapshot


def is_fresh(parts: Parts, frame: Snapshot) -> bool:
    """Whether a frame is young enough to move upon."""
    return is_recent(parts.arms.now_s() - frame.stamp_s, parts.config.snapshot_age_s)


def is_recent(age_s: float, most_s: float) -> bool:
    """Whether what is so old is young enough. What is from the future is of another clock, and would never grow old."""
    return -CLOCK_BACK_S <= age_s <= most_s


def fresh_snapshot(parts: Parts, patience_s: float = 0.0, interrupted: Callable[[], bool] = lambda: False) -> Snapshot:
    """The newest frame, or, where that is old, one that comes within `patience_s` of wall time.

    Raises:
        RefusalError: `not_visible`; there is none that is fresh.
    """
    deadline_s = time.monotonic() + patience_s
    now = parts.perception.latest()
    while now is None or not is_fresh(parts, now):
        remaining_s = deadline_s - time.monotonic()
        after_s = parts.arms.now_s() - parts.config.snapshot_age_s
        newer = None
        if remaining_s > 0 and not interrupted():
            newer = parts.perception.wait_newer_than(after_s, remaining_s, interrupted)
        if newer is None:
            what = (
                'nothing has been perceived yet'
                if now is None
                else f'the last frame is {parts.arms.now_s() - now.stamp_s:.1f} s old'
            )
            raise RefusalError(ReasonCode.NOT_VISIBLE, f'{what}; nothing moves blindly')
        now = newer
    return now
