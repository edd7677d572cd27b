"""Whether the arms move only while an action that was asked for is recorded, or a reset is carried out."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from lucca_core.errors import MemoryFault
from lucca_core.protocol.entries import EntryKind
from lucca_lab.attack.attack import Broken
from lucca_lab.attack.joint_motion import motion_outside
from lucca_lab.attack.running.one_joint import is_hold
from lucca_memory.data_folder import DataFolder
from lucca_memory.declarative.entry import Entry
from lucca_memory.declarative.log import LogStore, TaskLog

COMMANDS = 'trajectory_msgs/msg/JointTrajectory'
_LATE_S = 2.0
"""How late a trajectory may arrive on a busy machine (s)."""


class AskedMotion:
    """The trajectories of the action node that are no holds, and the times in which there may be some.

    Args:
        node: hears the trajectories.
        data: the data folder of the worker.

    Raises:
        Broken: the action node is not seen to publish any trajectories, so that nothing would be heard.
    """

    def __init__(self, node: Node, data: Path) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._moved_s: list[float] = []
        self._resets: list[tuple[datetime, datetime]] = []
        self._intents = 0
        topics = node.get_publisher_names_and_types_by_node('action', '/')
        self.topics = tuple(name for name, kinds in topics if COMMANDS in kinds)
        if not self.topics:
            raise Broken('the action node publishes no trajectories')
        for name in self.topics:
            node.create_subscription(JointTrajectory, name, self._on_trajectory, 100)

    @contextmanager
    def reset(self) -> Iterator[None]:
        """While the arms are brought home after a stop."""
        begin = datetime.now(UTC)
        try:
            yield
        finally:
            # What the reset moves has arrived by then: nothing that comes later is excused by it.
            time.sleep(_LATE_S)
            self._resets.append((begin, datetime.now(UTC)))

    def check(self, *, asked: bool) -> int:
        """Checks the motion since the last check, and returns the number of actions that were begun.

        Args:
            asked: whether somebody asked for an action lately, so that one may have begun.

        Raises:
            Broken: an arm moved without a recorded action or a reset, or an action began that nobody asked for.
        """
        with self._lock:
            moved_s, self._moved_s = self._moved_s, []
        logs = self._logs()
        intents = [entry for entries in logs for entry in entries if entry.kind is EntryKind.INTENT]
        newest = max((entry.time for entry in intents), default=None)
        actions = []
        for entries in logs:
            ends = {entry.intent_id: entry.time for entry in entries if entry.kind is EntryKind.OUTCOME}
            # Only the newest action can still be in progress: an older one without an outcome excuses nothing later.
            actions += [
                (entry.time, ends.get(entry.entry_id, datetime.now(UTC) if entry.time == newest else entry.time))
                for entry in entries
                if entry.kind is EntryKind.INTENT
            ]
        if outside := motion_outside(motion_outside(moved_s, self._resets, 0.0), actions, _LATE_S):
            raise Broken(
                f'{len(outside)} trajectories without an action, {_times(outside[0], outside[-1])}; '
                f'the last actions: {sorted(actions)[-3:]}'
            )
        before, self._intents = self._intents, len(intents)
        if self._intents > before and not asked:
            raise Broken(f'{self._intents - before} actions began that nobody asked for')
        return self._intents - before

    def _logs(self) -> list[tuple[Entry, ...]]:
        try:
            with DataFolder.open(self._data, write=False) as data:
                return [TaskLog(data, task).entries for task in LogStore(data).tasks()]
        except MemoryFault as error:
            raise Broken(f'a log cannot be read: {error}') from error

    def _on_trajectory(self, msg: Any) -> None:
        came_s = datetime.now(UTC).timestamp()
        if not is_hold(msg):
            with self._lock:
                self._moved_s.append(came_s)


def _times(*times_s: float) -> list[str]:
    return [datetime.fromtimestamp(time_s, UTC).isoformat() for time_s in times_s]
