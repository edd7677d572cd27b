"""What the executor needs from outside, each as a small protocol: planner, perception, memory, and the parts together."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from action_node.body import Body
from action_node.config import ActionConfig
from action_node.gate import Gate
from action_node.motion.plan import MotionPlan, MotionRequest
from action_node.stop_marker import StopMarker
from action_node.valve import Arms
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.snapshots import Snapshot

Feedback = Callable[[str, float], None]
"""Called with a phase (gated, recorded, planning, moving, verifying) and the progress of the motion, 0 to 1."""


class Planner(Protocol):
    """Plans motions that touch nothing but their object. Joints are positions in rad by name.

    Raises:
        MotionError: there is no such motion.
    """

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        """A motion from where the arms are."""
        ...

    def plan_clear(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], held: Mapping[str, str]
    ) -> MotionPlan:
        """A motion that brings the arms home, putting down what hands hold. `held`: object id by arm; empty: unknown."""
        ...


class LivePlanner:
    """Plans by the planner of now: it may be exchanged at any time, and a plan under way ends with the one it began with."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        """A motion from where the arms are."""
        return self.planner.plan(request, snapshot, joint_positions)

    def plan_clear(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], held: Mapping[str, str]
    ) -> MotionPlan:
        """A motion that brings the arms home."""
        return self.planner.plan_clear(snapshot, joint_positions, held)


class Perception(Protocol):
    """What is seen of the table."""

    def latest(self) -> Snapshot | None:
        """The newest snapshot; None before the first."""
        ...

    def wait_newer_than(self, stamp_s: float, timeout_s: float, interrupted: Callable[[], bool]) -> Snapshot | None:
        """The first snapshot with a later stamp; None after `timeout_s` of wall time, or once interrupted."""
        ...


class Recorder(Protocol):
    """The way to memory."""

    def record(self, entry: EntryRequest, timeout_s: float) -> int:
        """The number of the entry once it is safe on the disk.

        Raises:
            LuccaError: not acknowledged within `timeout_s` of wall time; it may or may not have been written.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an executor works with."""

    gate: Gate
    body: Body
    arms: Arms
    planner: Planner
    perception: Perception
    recorder: Recorder
    config: ActionConfig
    marker: StopMarker | None = None
    """Where a stop is kept for the process after this one; None: nowhere."""
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the process ends: nothing is waited for any more."""
