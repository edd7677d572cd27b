"""Runs one action: checks it at the gate, logs the intent, plans, moves, verifies the effect, logs the outcome."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from action_node.action_end import ActionEnd
from action_node.action_record import ActionRecord
from action_node.action_timing import ActionTiming
from action_node.cancel_latch import CancelLatch
from action_node.effect_verification import EffectStatus, judge_lasting
from action_node.effect_watcher import EffectWatcher
from action_node.gate.call_parser import parse_action
from action_node.gate.gate import Permit, Situation, check_prohibitions
from action_node.intent_settlement import IntentSettlement
from action_node.interfaces import ActionComponents, Feedback
from action_node.motion.motion_plan import MotionKind, MotionPlan, MotionRequest
from action_node.mover import Mover
from action_node.retreat import path_of
from action_node.shown_grasp import grasp_frame
from action_node.snapshot_freshness import fresh_snapshot, is_fresh
from action_node.withdrawal import Withdrawal
from lucca_core.codes import ReasonCode
from lucca_core.errors import LuccaError, MotionError, RefusalError
from lucca_core.protocol.actions import ActionCall, ActionRequest, ActionResult
from lucca_core.protocol.observations import PERMITTED, GateDecision
from lucca_core.protocol.snapshots import Snapshot
from lucca_memory.procedural import Motion

_LOG = logging.getLogger(__name__)
_STEP = 0.05
"""Least growth of the progress that is told, because feedback is for people."""

_MOTION_KINDS: dict[Motion, MotionKind] = {
    Motion.POINT: 'point',
    Motion.GIVE: 'give',
    Motion.PICK_AND_PLACE: 'pick_and_place',
}


@dataclass(frozen=True, slots=True)
class _EarlyPlan:
    """A plan in progress, and the snapshot that it is based on."""

    snapshot: Snapshot
    plan: Future[MotionPlan]


class ActionRun:
    """Runs one action, from its text to its result."""

    def __init__(
        self,
        parts: ActionComponents,
        mover: Mover,
        request: ActionRequest,
        cancelled: CancelLatch,
        feedback: Feedback,
        *,
        busy: bool,
    ) -> None:
        self._parts = parts
        self._mover = mover
        self._config = parts.config
        self._request = request
        self._cancelled = cancelled
        self._feedback = feedback
        self._busy = busy
        self._timing = ActionTiming(request.answered_wall_s)
        self._record = ActionRecord(parts, request, self._timing)
        self._watching = EffectWatcher(parts, cancelled, self._timing)
        self._arms_clear = False
        self._snapshot = request.snapshot

    def run(self) -> ActionResult:
        if self._request.settle_intent_id:
            return self._settled()
        try:
            call = parse_action(self._request.text)
            self._record.action = str(call)
            permit = self._judged(call)
        except (RefusalError, MotionError) as error:
            self._tell_decision(error.code, str(error))
            return self._record.refuse(self._with_cause(error))
        if self._config.dry_run:
            self._tell_permitted()
            return self._shown(permit)
        pool = ThreadPoolExecutor(1, 'planning')
        try:
            # Planning moves nothing, so it waits neither for those who watch nor until the intent is recorded.
            early = _EarlyPlan(self._snapshot, pool.submit(self._planned, permit)) if self._arms_clear else None
            self._tell_permitted()
            if self._cancelled.is_set:
                return self._record.answer(ReasonCode.CANCELLED, 'cancelled before anything was recorded')
            try:
                self._record.open(permit.target, self._snapshot)
            except LuccaError as error:
                return self._record.answer(ReasonCode.HARDWARE_FAULT, f'no acknowledged intent, nothing moved: {error}')
            self._feedback('recorded', 0.0)
            try:
                end = self._carried_out(permit, early)
            except Exception as error:  # noqa: BLE001 - whatever it is, the outcome has to be recorded
                # A bug: the arms hold already (motion_runner.py), and the intent must not stay open.
                said = self._parts.internal_errors.note(error, f'action {self._record.action}')
                end = ActionEnd(ReasonCode.HARDWARE_FAULT, said)
        finally:
            # A plan that is no longer needed is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)
        # Before it is recorded: the process still knows it if recording breaks off.
        self._parts.history.not_recorded(self._request.task, self._record.intent_id, self._record.action, end)
        return self._record.close(permit.target, self._snapshot, end)

    # --- before the intent ---

    def _shown(self, permit: Permit) -> ActionResult:
        """Plans the motion and shows the plan. Nothing is recorded, because nothing moves."""
        self._feedback('planning', 0.0)
        try:
            plan = self._planned(permit)
            # It stays until the next plan, because somebody looks at this one.
            self._show_grasp(plan, permit)
            start_s = self._parts.arms.now_s() + self._config.lead_s
            for segment in plan.segments:
                self._parts.arms.send(segment.controller, tuple(segment.joints), path_of(segment), start_s)
                start_s += segment.duration_s
        except MotionError as error:
            return self._record.refuse(error)
        duration_s = sum(segment.duration_s for segment in plan.segments)
        return self._record.answer(
            ReasonCode.STOPPED,
            f'dry run: a motion of the {plan.arm} arm was planned ({len(plan.segments)} parts, {duration_s:.1f} s), '
            'and nothing was sent to a controller',
        )

    def _with_cause(self, error: RefusalError | MotionError) -> RefusalError | MotionError:
        """The error; of a robot that was stopped before, with the cause of its stop."""
        why = self._mover.why_stopped
        if error.code is not ReasonCode.STOPPED or not why:
            return error
        return MotionError(error.code, f'{error} (the cause of the stop: {why})')

    def _tell_permitted(self) -> None:
        self._tell_decision(PERMITTED)
        self._feedback('gated', 0.0)

    def _tell_decision(self, code: str, message: str = '') -> None:
        decision = GateDecision(
            request=replace(self._request, snapshot=self._snapshot),
            stopped=self._mover.stopped,
            busy=self._busy,
            arms_clear=self._arms_clear,
            action=self._record.action,
            code=code,
            message=message,
        )
        self._parts.observe(decision)

    def _judged(self, call: ActionCall) -> Permit:
        """Checks the call at the gate, on the decision's snapshot and on a fresh one, with the same object."""
        if self._busy:
            raise RefusalError(ReasonCode.BUSY, 'another action is being carried out')
        decision = self._request.snapshot
        decided = self._parts.gate.check(call, self._situation(decision, self._mover.arms_clear(decision)))
        now = fresh_snapshot(self._parts)
        self._arms_clear = self._mover.arms_clear(now)
        return self._still(decided, now, arms_clear=self._arms_clear)

    def _still(self, permit: Permit, now: Snapshot, *, arms_clear: bool) -> Permit:
        """Checks a permit again on a newer snapshot; the object is found by id, as its name may have changed."""
        there = now.object_with_id(permit.target.object_id)
        if there is None:
            raise RefusalError(
                ReasonCode.UNKNOWN_OBJECT, f'{permit.target.name} was there when this was decided and is not any more'
            )
        self._record.target, self._snapshot = there, now
        renamed = ActionCall(permit.call.name, there.name)
        checked = self._parts.gate.check(renamed, self._situation(now, arms_clear))
        return replace(checked, call=permit.call)

    def _situation(self, snapshot: Snapshot, arms_clear: bool) -> Situation:
        return Situation(
            snapshot=snapshot,
            allowed_actions=frozenset(self._request.allowed_actions),
            confirmed_by=self._request.confirmed_by,
            stopped=self._mover.stopped,
            busy=self._busy,
            arms_clear=arms_clear,
            prohibitions=self._parts.prohibitions(),
        )

    # --- between intent and outcome ---

    def _carried_out(self, permit: Permit, early: _EarlyPlan | None) -> ActionEnd:
        attempts = 0
        last: ActionEnd | None = None
        deadline_s = self._record.began_s + self._config.action_timeout_s
        try:
            if not self._arms_clear:
                permit, there = self._cleared(permit)
                if there is not None:
                    return there
            while attempts < self._config.max_attempts:
                if self._cancelled.is_set:
                    raise MotionError(ReasonCode.CANCELLED, 'cancelled before the arm moved')
                if not is_fresh(self._parts, self._snapshot):  # for example after waiting for the memory
                    now = fresh_snapshot(self._parts, self._config.glance_timeout_s, lambda: self._cancelled.is_set)
                    permit = self._still(permit, now, arms_clear=self._mover.arms_clear(now))
                self._feedback('planning', 0.0)
                fits = early is not None and early.snapshot is self._snapshot
                plan = early.plan.result() if early is not None and fits else self._planned(permit)
                early = None
                self._show_grasp(plan, permit)
                if self._cancelled.is_set:
                    raise MotionError(ReasonCode.CANCELLED, 'cancelled before the arm moved')
                # What was prohibited since the call was judged is not begun.
                check_prohibitions(permit.spec, permit.target, self._parts.prohibitions())
                attempts += 1
                last = self._moved(permit, plan, attempts, deadline_s)
                if last.code not in (ReasonCode.EFFECT_NOT_SEEN, ReasonCode.GRASP_FAILED) or last.uncertain:
                    return last
                if attempts < self._config.max_attempts:
                    permit = self._still(permit, fresh_snapshot(self._parts), arms_clear=True)
        except (RefusalError, MotionError) as error:
            if last is not None and error.code not in (ReasonCode.STOPPED, ReasonCode.CANCELLED):
                # Another attempt was not possible, so the result is that of the last one.
                return replace(last, message=f'{last.message}; not tried again: {error}')
            return ActionEnd(error.code, str(error), attempts)
        finally:
            self._parts.show_grasp(None)
        return last or ActionEnd(ReasonCode.EFFECT_NOT_SEEN, 'nothing was tried')

    def _cleared(self, permit: Permit) -> tuple[Permit, ActionEnd | None]:
        """Brings the arms home, and checks again what this may have changed.

        If that put down a carried object where this action was to bring it, the action is done.
        """
        self._feedback('moving', 0.0)
        began_s, before = time.time(), self._snapshot
        end = self._mover.clear()
        if end.code is not ReasonCode.DONE:
            raise MotionError(end.code, end.message)
        now = self._watching.next_frame(self._parts.arms.now_s(), self._config.frame_timeout_s)
        self._timing.moved_before_s += time.time() - began_s
        if now is None:
            raise MotionError(ReasonCode.EFFECT_NOT_SEEN, 'nothing was perceived after the arms had gone home')
        if permit.spec.effect.lasts:
            judgement = judge_lasting(permit.spec.effect, permit.target, before, now, self._config.moved_m)
            if judgement.sight is EffectStatus.SEEN:
                self._snapshot = now
                return permit, ActionEnd(ReasonCode.DONE, f'{judgement.message}, once the arms had gone home')
        return self._still(permit, now, arms_clear=True), None

    def _planned(self, permit: Permit) -> MotionPlan:
        effect = permit.spec.effect
        request = MotionRequest(
            kind=_MOTION_KINDS[permit.spec.motion], object_id=permit.target.object_id, container=effect.container
        )
        joints = self._mover.joints()
        began_s = time.time()
        try:
            return self._parts.planner().plan(request, self._snapshot, joints)
        finally:
            self._timing.planning_s += time.time() - began_s

    def _show_grasp(self, plan: MotionPlan, permit: Permit) -> None:
        self._parts.show_grasp(grasp_frame(plan, permit.target.object_id, self._snapshot.frame_id))

    def _moved(self, permit: Permit, plan: MotionPlan, attempt: int, deadline_s: float) -> ActionEnd:
        witness = self._watching.witness(permit, plan.arm)
        before = self._snapshot
        withdrawal = Withdrawal(self._cancelled, permit, self._parts.known_prohibitions)
        end = self._mover.run(
            plan,
            permit.target.object_id,
            carries=permit.spec.motion is not Motion.POINT,
            cancelled=self._cancelled,
            withdrawn=withdrawal,
            deadline_s=deadline_s,
            watch=None if witness is None else witness.watch,
            progress=_stepped(lambda progress: self._feedback('moving', progress)),
            sent=self._timing.sent,
        )
        code, message = end.code, end.message
        if code is ReasonCode.CANCELLED and withdrawal.refusal is not None and not self._cancelled.is_set:
            code, message = withdrawal.refusal.code, f'{withdrawal.refusal}; the arm had not grasped it yet'
        if end.code in (ReasonCode.CANCELLED, ReasonCode.TIMEOUT):
            retreat = self._mover.retreat()
            if retreat.code is not ReasonCode.DONE:
                message = f'{message}; {retreat.message}'
        self._timing.ended()
        self._feedback('verifying', 1.0)
        try:
            seen = self._watching.seen(permit, before, witness, patient=end.code is ReasonCode.DONE)
        finally:
            # Also if watching fails: objects have moved, and the outcome must not show them as before.
            self._snapshot = self._watching.last_frame or self._snapshot
        judgement = seen.judgement
        if end.code is ReasonCode.DONE:
            return ActionEnd(judgement.code, judgement.message, attempt, seen.uncertain)
        if judgement.sight is EffectStatus.SEEN and not self._mover.holds_something:
            # The motion was interrupted after it had done its work: what is seen counts.
            return ActionEnd(ReasonCode.DONE, f'{judgement.message}, then: {message}', attempt)
        return ActionEnd(code, message, attempt)

    # --- an intent from before a crash ---

    def _settled(self) -> ActionResult:
        """Judges whether the effect of an open intent is there. Moves nothing; a failure records nothing."""
        intent_id = self._request.settle_intent_id
        try:
            call = parse_action(self._request.text)
            self._record.action = str(call)
            if self._busy:
                raise RefusalError(ReasonCode.BUSY, 'another action is being carried out')
            found = IntentSettlement(self._parts, self._mover, self._request, self._cancelled).settled(call)
        except (RefusalError, MotionError) as error:
            return self._record.answer(error.code, f'intent {intent_id} was not settled, it stays open: {error}')
        self._record.intent_id, self._record.target = intent_id, found.target
        known = self._parts.history.end_of(self._request.task, intent_id, self._record.action)
        if known is not None and not self._parts.gate.spec_of(call).effect.lasts:
            message = f'settled after an interruption, as this process knows: {known.message}'
            return self._record.close(found.target, found.snapshot, replace(known, message=message))
        message = f'settled after an interruption: {found.judgement.message}'
        return self._record.close(
            found.target, found.snapshot, ActionEnd(found.judgement.code, message, 0, found.uncertain)
        )


def _stepped(tell: Callable[[float], None]) -> Callable[[float], None]:
    """Reports progress only after it has grown by a twentieth."""
    told = -1.0

    def maybe(progress: float) -> None:
        nonlocal told
        if progress >= told + _STEP:
            told = progress
            tell(progress)

    return maybe
