"""The executor's interfaces: planner, perception and memory, and all its components together."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from action_node.body import Body
from action_node.config import ActionConfig
from action_node.gate.gate import Gate
from action_node.intent_history import IntentHistory
from action_node.internal_errors import InternalErrors
from action_node.motion.motion_plan import MotionPlan, MotionRequest
from action_node.shown_grasp import ShowGrasp, shown_nowhere
from action_node.stop.stop_marker import StopMarker
from action_node.stop.valve import Arms
from lucca_core.protocol.entries import EntryRequest
from lucca_core.protocol.observations import Observe, unobserved
from lucca_core.protocol.prohibitions import NOTHING_PROHIBITED, KeptProhibitions
from lucca_core.protocol.snapshots import Snapshot

Feedback = Callable[[str, float], None]
"""Called with the phase (gated, recorded, planning, moving, verifying) and the progress of the motion, 0 to 1."""


class Planner(Protocol):
    """Plans collision-free motions. Joint positions are given in rad by name.

    Raises:
        MotionError: no motion was found.
    """

    def plan(self, request: MotionRequest, snapshot: Snapshot, joint_positions: Mapping[str, float]) -> MotionPlan:
        """Plans a motion from the present joint positions."""
        ...

    def plan_clear(
        self, snapshot: Snapshot, joint_positions: Mapping[str, float], held: Mapping[str, str]
    ) -> MotionPlan:
        """Plans a motion that puts down held objects and brings the arms home. `held`: object id, or '', by arm."""
        ...


class Perception(Protocol):
    """Snapshots of the table."""

    def latest(self) -> Snapshot | None:
        """The newest snapshot; None before the first."""
        ...

    def wait_newer_than(self, stamp_s: float, timeout_s: float, interrupted: Callable[[], bool]) -> Snapshot | None:
        """The first snapshot with a later stamp; None after `timeout_s` of wall time, or once interrupted."""
        ...


class EntryRecorder(Protocol):
    """Records entries in memory."""

    def record(self, entry: EntryRequest, timeout_s: float) -> int:
        """Returns the id of the entry once it is safe on the disk.

        Raises:
            LuccaError: not acknowledged within `timeout_s` of wall time; the entry may or may not have been written.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionComponents:
    """Everything that an executor works with."""

    gate: Gate
    body: Body
    arms: Arms
    planner: Callable[[], Planner]
    """Returns the planner for the next motion. A plan in progress is finished by the planner that began it."""
    perception: Perception
    recorder: EntryRecorder
    config: ActionConfig
    marker: StopMarker | None = None
    """Keeps a stop for later processes; None to keep none."""
    prohibitions: Callable[[], KeptProhibitions] = lambda: NOTHING_PROHIBITED
    """Returns the prohibitions that hold."""
    known_prohibitions: Callable[[], KeptProhibitions] = lambda: NOTHING_PROHIBITED
    """Returns them as they were last read, at once: no disk is waited for."""
    observe: Observe = unobserved
    """Takes a GateDecision for each action, and an ActionEnded."""
    show_grasp: ShowGrasp = shown_nowhere
    """Takes the frame of the grasp that is planned, and None once it is of no more use."""
    internal_errors: InternalErrors = field(default_factory=InternalErrors)
    """Takes unexpected errors that end an action or a reset."""
    history: IntentHistory = field(default_factory=IntentHistory)
    """What became of the intents of this process."""
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the process ends, which ends all waiting."""
