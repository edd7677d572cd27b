"""Settlement of an intent left open, for example by a crash: judges from the present scene whether it took effect."""

import time
from dataclasses import dataclass

from action_node.cancel_latch import CancelLatch
from action_node.effect_verification import (
    EffectJudgement,
    EffectStatus,
    PointingWitness,
    judge_settled,
    pointing_radius_m,
)
from action_node.interfaces import ActionComponents
from action_node.mover import Mover
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_core.protocol.actions import ActionCall, ActionRequest
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_memory.procedural import ActionSpec, EffectKind


@dataclass(frozen=True, slots=True)
class SettledIntent:
    """The judgement on an open intent, with the frame and the object that it is based on."""

    judgement: EffectJudgement
    uncertain: bool
    target: TableObject | None
    snapshot: Snapshot


class IntentSettlement:
    """Judges one open intent; moves nothing."""

    def __init__(self, parts: ActionComponents, mover: Mover, request: ActionRequest, cancelled: CancelLatch) -> None:
        self._parts = parts
        self._config = parts.config
        self._mover = mover
        self._request = request
        self._cancelled = cancelled

    def settled(self, call: ActionCall) -> SettledIntent:
        """Watches until enough successive frames agree; if they do not, or show too little, the result is undecided.

        Raises:
            RefusalError: `unknown_action` if the robot no longer has the action.
            MotionError: `timeout`, `cancelled` or `hardware_fault`; the intent stays open.
        """
        spec = self._parts.gate.spec_of(call)
        known = self._request.snapshot.object_named(call.argument)
        deadline_s = time.monotonic() + self._config.settle_timeout_s
        stamp_s = self._parts.arms.now_s()
        frames, agreeing = 0, 0
        last: SettledIntent | None = None
        while (remaining_s := deadline_s - time.monotonic()) > 0 and not self._cancelled.is_set:
            frame = self._parts.perception.wait_newer_than(stamp_s, remaining_s, lambda: self._cancelled.is_set)
            if frame is None:
                break
            stamp_s, frames = frame.stamp_s, frames + 1
            there = frame.object_with_id(known.object_id) if known else frame.object_named(call.argument)
            judgement = self._judged(spec, there, call, frame)
            same = last is not None and last.judgement.sight is judgement.sight
            agreeing = agreeing + 1 if same else 1
            last = SettledIntent(judgement, not spec.effect.lasts, there or known, frame)
            if judgement.sight is not EffectStatus.UNDECIDED and agreeing >= self._config.settle_frames:
                return last
        if self._cancelled.is_set:
            raise MotionError(ReasonCode.CANCELLED, 'cancelled before the open intent was judged')
        if last is None or frames < self._config.settle_frames:
            raise MotionError(
                ReasonCode.TIMEOUT,
                f'{frames} of {self._config.settle_frames} frames came in within {self._config.settle_timeout_s:g} s',
            )
        message = last.judgement.message
        if last.judgement.sight is not EffectStatus.UNDECIDED:
            message = f'the frames do not agree; in the last one {message}'
        undecided = EffectJudgement(EffectStatus.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN, message)
        return SettledIntent(undecided, True, last.target, last.snapshot)

    def _judged(
        self, spec: ActionSpec, there: TableObject | None, call: ActionCall, frame: Snapshot
    ) -> EffectJudgement:
        if spec.effect.lasts:
            # Only a given object is judged by its absence, but an arm or hand may hide an object not yet given.
            clear = spec.effect.kind is not EffectKind.GIVEN or there is not None or self._mover.arms_clear(frame)
            return judge_settled(spec.effect, there.name if there else call.argument, frame, arms_clear=clear)
        if there is None:
            return EffectJudgement(EffectStatus.UNDECIDED, ReasonCode.EFFECT_NOT_SEEN, f'{call.argument} is not seen')
        body = self._parts.body
        witness = PointingWitness(
            body, body.arms, there.pose_world.position_m, pointing_radius_m(there, self._config), 0.0
        )
        witness.watch(0.0, self._mover.joints())
        return witness.judgement(there.name)
