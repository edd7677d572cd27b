"""What is seen of an action's effect: by the joints while an arm points, by frames after any other motion."""

import time
from dataclasses import dataclass

from action_node.cancel_latch import CancelLatch
from action_node.gate import Permit
from action_node.seams import Parts
from action_node.timing import Timing
from action_node.verify import Judgement, PointingWitness, Sight, judge_lasting, pointing_radius_m
from lucca_core.codes import ReasonCode
from lucca_core.protocol.snapshots import Snapshot
from lucca_memory.procedural import EffectKind


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of an effect, and whether that is uncertain."""

    judgement: Judgement
    uncertain: bool


class Watching:
    """Watches for the effect of one action.

    `last_frame` is the newest frame that came in after the last motion, also where looking for its effect broke off: how the table
    was left, whatever could be told from it. None where none came, or none was waited for.
    """

    def __init__(self, parts: Parts, cancelled: CancelLatch, timing: Timing) -> None:
        self._parts = parts
        self._config = parts.config
        self._cancelled = cancelled
        self._timing = timing
        self.last_frame: Snapshot | None = None

    def witness(self, permit: Permit, arm: str) -> PointingWitness | None:
        """Who watches while the arm moves; None where the effect lasts, and is looked for afterwards."""
        if permit.spec.effect.kind is not EffectKind.POINTED_AT:
            return None
        return PointingWitness(
            self._parts.body,
            (arm,),
            permit.target.pose_world.position_m,
            pointing_radius_m(permit.target, self._config),
            self._config.pointing_dwell_s,
        )

    def seen(self, permit: Permit, before: Snapshot, witness: PointingWitness | None, *, patient: bool) -> Seen:
        """What is seen of the effect once the motion has ended.

        Args:
            permit: what was to come about, with which object.
            before: what the motion was planned on.
            witness: who watched the motion, if anybody.
            patient: wait for things to come to rest.
        """
        self.last_frame = None
        if witness is not None:
            return Seen(witness.judgement(permit.target.name), uncertain=False)
        ended_s = self._parts.arms.now_s()
        stamp_s, last = ended_s, None
        while last is None or (patient and stamp_s < ended_s + self._config.verify_timeout_s):
            frame = self.next_frame(stamp_s, self._config.frame_timeout_s if patient else self._config.glance_timeout_s)
            if frame is None:
                break
            stamp_s, self.last_frame = frame.stamp_s, frame
            judgement = judge_lasting(permit.spec.effect, permit.target, before, frame, self._config.moved_m)
            last = Seen(judgement, judgement.sight is Sight.UNDECIDED)
            if judgement.sight is Sight.SEEN:
                break
        return last or Seen(
            Judgement(
                Sight.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN, 'no frame came in after the motion to see the effect by'
            ),
            uncertain=True,
        )

    def next_frame(self, stamp_s: float, timeout_s: float) -> Snapshot | None:
        """The first frame after `stamp_s` of ROS time; None after `timeout_s` of wall time. The wait is counted."""
        began_s = time.time()
        try:
            # Whoever cancelled does not wait long for a perception that is dead.
            patience_s = min(timeout_s, self._config.glance_timeout_s)
            return self._parts.perception.wait_newer_than(
                stamp_s, timeout_s, lambda: self._cancelled.is_set and time.time() - began_s > patience_s
            )
        finally:
            self._timing.waited_s += time.time() - began_s
