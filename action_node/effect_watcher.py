"""Gathers evidence of an action's effect, from joints while pointing or later snapshots, and has it judged."""

import time
from dataclasses import dataclass

from action_node.action_timing import ActionTiming
from action_node.cancel_latch import CancelLatch
from action_node.effect_verification import (
    EffectJudgement,
    EffectStatus,
    PointingWitness,
    judge_lasting,
    pointing_radius_m,
)
from action_node.gate.gate import Permit
from action_node.interfaces import ActionComponents
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import Snapshot
from lucca_memory.procedural import EffectKind


@dataclass(frozen=True, slots=True)
class ObservedEffect:
    """The judgement on an effect, and whether it is uncertain."""

    judgement: EffectJudgement
    uncertain: bool


class EffectWatcher:
    """Watches for the effect of one action.

    `last_frame` is the newest snapshot received after the last motion, even if watching was interrupted; None if there
    was none. It shows how the table was left.
    """

    def __init__(self, parts: ActionComponents, cancelled: CancelLatch, timing: ActionTiming) -> None:
        self._parts = parts
        self._config = parts.config
        self._cancelled = cancelled
        self._timing = timing
        self.last_frame: Snapshot | None = None

    def witness(self, permit: Permit, arm: str) -> PointingWitness | None:
        """The observer of a pointing motion; None for a lasting effect, which is checked afterwards."""
        if permit.spec.effect.kind is not EffectKind.POINTED_AT:
            return None
        return PointingWitness(
            self._parts.body,
            (arm,),
            permit.target.pose_world.position_m,
            pointing_radius_m(permit.target, self._config),
            self._config.pointing_dwell_s,
        )

    def seen(
        self, permit: Permit, before: Snapshot, witness: PointingWitness | None, *, patient: bool
    ) -> ObservedEffect:
        """Judges the effect after the motion.

        Args:
            permit: the action and its object.
            before: the snapshot that the motion was planned on.
            witness: the observer of a pointing motion, or None.
            patient: whether to wait for objects to come to rest.
        """
        self.last_frame = None
        if witness is not None:
            return ObservedEffect(witness.judgement(permit.target.name), uncertain=False)
        ended_s = self._parts.arms.now_s()
        stamp_s, last = ended_s, None
        while last is None or (patient and stamp_s < ended_s + self._config.verify_timeout_s):
            frame = self.next_frame(stamp_s, self._config.frame_timeout_s if patient else self._config.glance_timeout_s)
            if frame is None:
                break
            stamp_s, self.last_frame = frame.stamp_s, frame
            judgement = judge_lasting(permit.spec.effect, permit.target, before, frame, self._config.moved_m)
            last = ObservedEffect(judgement, judgement.sight is EffectStatus.UNDECIDED)
            if judgement.sight is EffectStatus.SEEN:
                break
        return last or ObservedEffect(
            EffectJudgement(
                EffectStatus.UNDECIDED,
                ReasonCode.EFFECT_NOT_SEEN,
                'no frame came in after the motion to see the effect by',
            ),
            uncertain=True,
        )

    def next_frame(self, stamp_s: float, timeout_s: float) -> Snapshot | None:
        """The first snapshot after ROS time `stamp_s`; None after `timeout_s` of wall time. Counts as waiting time."""
        began_s = time.time()
        try:
            # After a cancel, do not wait long for a perception that may be dead.
            patience_s = min(timeout_s, self._config.glance_timeout_s)
            return self._parts.perception.wait_newer_than(
                stamp_s, timeout_s, lambda: self._cancelled.is_set and time.time() - began_s > patience_s
            )
        finally:
            self._timing.waited_s += time.time() - began_s
