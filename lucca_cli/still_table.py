"""Waiting until the objects on a table are at rest: a pile may shift seconds after the last one was let go."""

import math
import queue
import time
from typing import TYPE_CHECKING

from lucca_core.protocol.snapshots import Snapshot

if TYPE_CHECKING:
    from lucca_cli.client import StackClient

STILL_S = 1.5
"""How long no object may have moved, by the stamps of the snapshots."""
MOVED_M = 0.004
"""Perceived positions of a resting object vary by less."""
_LIMIT_S = 15.0
_WALL_LIMIT_S = 60.0
_SILENT_S = 5.0


class StillTable:
    """Whether the visible objects of a series of snapshots have stayed where they are."""

    def __init__(self, still_s: float = STILL_S, moved_m: float = MOVED_M) -> None:
        self._still_s = still_s
        self._moved_m = moved_m
        self._since: dict[str, tuple[float, tuple[float, float, float]]] = {}
        self._first_s: float | None = None
        self.waited_s = 0.0
        """Time between the first and the newest snapshot."""

    def add(self, snapshot: Snapshot) -> bool:
        """Adds a snapshot. Returns whether no object has moved for `still_s`."""
        now_s = snapshot.stamp_s
        if self._first_s is None or now_s < self._first_s + self.waited_s:
            self._since.clear()  # the first one, or the clock was set back
            self._first_s = now_s
        self.waited_s = now_s - self._first_s
        for item in snapshot:
            place_m = item.pose_world.position_m
            known = self._since.get(item.object_id)
            if item.visible and (known is None or math.dist(known[1], place_m) > self._moved_m):
                self._since[item.object_id] = now_s, place_m
        newest_s = max((since_s for since_s, _ in self._since.values()), default=self._first_s)
        return now_s - newest_s >= self._still_s


def wait_until_still(client: 'StackClient') -> bool:
    """Waits until the objects on the table are at rest, for at most 15 s of the robot's time and 60 s of wall time.

    Returns whether they are. It stops waiting if nothing is perceived for 5 s.
    """
    snapshots: queue.Queue[Snapshot] = queue.Queue()
    end = client.watch_table(snapshots.put)
    table, deadline_s = StillTable(), time.monotonic() + _WALL_LIMIT_S
    try:
        while table.waited_s < _LIMIT_S and time.monotonic() < deadline_s:
            if table.add(snapshots.get(timeout=_SILENT_S)):
                return True
    except queue.Empty:
        pass
    finally:
        end()
    return False
