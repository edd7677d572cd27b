"""Freshness of snapshots, which must be recent for anything to move."""

import time
from collections.abc import Callable

from action_node.interfaces import ActionComponents
from lucca_core.codes import ReasonCode
from lucca_core.errors import RefusalError
from lucca_core.joint_states import CLOCK_BACK_S
from lucca_core.protocol.snapshots import Snapshot


def is_fresh(parts: ActionComponents, frame: Snapshot) -> bool:
    """Whether a snapshot is recent enough to act on."""
    return is_recent(parts.arms.now_s() - frame.stamp_s, parts.config.snapshot_age_s)


def is_recent(age_s: float, most_s: float) -> bool:
    """Whether an age is within a limit. A stamp from the future is from another clock and does not count as recent."""
    return -CLOCK_BACK_S <= age_s <= most_s


def fresh_snapshot(
    parts: ActionComponents, patience_s: float = 0.0, interrupted: Callable[[], bool] = lambda: False
) -> Snapshot:
    """Returns the newest snapshot; if it is old, waits for a fresh one for `patience_s` of wall time.

    Raises:
        RefusalError: `not_visible` if there is no fresh snapshot.
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
