"""The mover: runs planned motions, stops the arms, and brings them home after an interruption."""

import math
from collections.abc import Callable, Mapping, Sequence

from action_node.cancel_latch import CancelLatch, CancelSign
from action_node.interfaces import ActionComponents
from action_node.motion.motion_plan import MotionPlan, MotionSegment
from action_node.motion_runner import MotionRunner, RunEnd
from action_node.retreat import way_home
from action_node.segment_stream import TWO_PLACES
from action_node.snapshot_freshness import fresh_snapshot
from action_node.stop.valve import Valve
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError, RefusalError
from lucca_core.protocol.snapshots import HAND, Snapshot
from lucca_robot.arm_profile import ControllerInterface


class Mover:
    """Moves the arms for one action at a time; `stop` may be called from any thread at any time."""

    def __init__(
        self,
        parts: ActionComponents,
        *,
        stopped: bool = False,
        protect: Callable[[str], tuple[str, ...]] | None = None,
    ) -> None:
        """`protect`: carries out a protective stop, see `stop` of `MotionRunner`."""
        self._parts = parts
        self._config = parts.config
        self._valve = Valve(
            parts.arms,
            parts.body.arm_controllers,
            parts.config.joints_silence_s,
            # An endless joint may have turned further than any limit says.
            limits={name: limits for name, limits in parts.body.limits.items() if name not in parts.body.endless},
            travels=parts.body.hand_travels,
            accelerations=parts.body.accelerations,
            lead_s=parts.config.lead_s,
            own_pace=[
                name
                for name, interface in parts.body.interfaces.items()
                if interface is ControllerInterface.GRIPPER_COMMAND
            ],
            stopped=stopped,
        )
        # Also what a motion does not move: a hand that carries something, and the other arm, which has to stay away.
        watched = [name for names in parts.body.controllers.values() for name in names]
        self._runner = MotionRunner(parts.arms, self._valve, parts.config, protect, watched)
        self._why_stopped = ''
        self._held: dict[str, str] = {}
        self._broken_off: tuple[Sequence[MotionSegment], int, int | None] | None = None

    @property
    def stopped(self) -> bool:
        """True from a stop until its release."""
        return self._valve.stopped

    @property
    def holds_something(self) -> bool:
        """True if a motion was interrupted with a closed hand and the arms have not been brought home since."""
        return bool(self._held)

    def stop(self, meanwhile: Callable[[], object] = lambda: None, why: str = '') -> tuple[str, ...]:
        """Holds the arms before it returns; nothing moves until `release`. Returns what could not be held, and why.

        `meanwhile` is called after the valve is shut and before the hold. `why`: for people; the first cause is kept.
        """
        self._why_stopped = self._why_stopped or why
        return self._valve.stop(meanwhile)

    @property
    def why_stopped(self) -> str:
        """The first cause of the present stop; empty if it is not known, or if there is none."""
        return self._why_stopped

    @property
    def stops(self) -> int:
        """Number of stops so far."""
        return self._valve.stops

    def release(self, stops: int) -> bool:
        """Lifts the first `stops` stops; false if there has been a newer one. This alone moves nothing."""
        released = self._valve.release(stops)
        if released:
            self._why_stopped = ''
            self._parts.arms.forget_faults()
        return released

    def run(
        self,
        plan: MotionPlan,
        object_id: str,
        *,
        carries: bool,
        cancelled: CancelLatch,
        withdrawn: CancelSign | None = None,
        deadline_s: float,
        watch: Callable[[float, Mapping[str, float]], None] | None,
        progress: Callable[[float], None],
        sent: Callable[[], None],
    ) -> RunEnd:
        """Runs a motion; see MotionRunner.run. `carries`: the hand may hold the object after an interruption of it."""
        end = self._runner.run(
            plan.segments,
            cancelled=cancelled,
            withdrawn=withdrawn,
            grasp=plan.grasps_at or 0,
            deadline_s=deadline_s,
            watch=watch,
            progress=progress,
            sent=sent,
        )
        if end.code is not ReasonCode.DONE:
            self._broken_off = (plan.segments, end.segment, plan.releases_at)
            if carries:
                self._note_grip(plan.arm, object_id)
        return end

    def joints(self) -> Mapping[str, float]:
        """The measured joint positions in rad, of every controller.

        Raises:
            MotionError: `hardware_fault` if there are none, they are old, or one is missing, not finite or measured at
                two places.
        """
        sample = self._parts.arms.joints()
        if sample is None:
            raise MotionError(ReasonCode.HARDWARE_FAULT, 'no joint states were received; nothing moves')
        age_s = self._parts.arms.silence_s(sample)
        if not age_s <= self._config.joints_silence_s:
            raise MotionError(ReasonCode.HARDWARE_FAULT, f'joint states are {age_s:.2f} s old; nothing moves')
        known = [name for names in self._parts.body.controllers.values() for name in names]
        missing = [name for name in known if not math.isfinite(sample.positions.get(name, math.nan))]
        if missing:
            # A planner would assume that a missing joint is at rest.
            raise MotionError(
                ReasonCode.HARDWARE_FAULT,
                f'joint states lack a finite position of {", ".join(missing)}; nothing moves',
            )
        if said := sample.contradicting(known):
            raise MotionError(ReasonCode.HARDWARE_FAULT, f'{TWO_PLACES}: {said}; nothing moves')
        return sample.positions

    def arms_clear(self, snapshot: Snapshot) -> bool:
        """True if both arms are at home with nothing in a hand.

        Raises:
            MotionError: see `joints`.
        """
        joints, body = self.joints(), self._parts.body
        return not (
            self._held
            or body.away_from_home(joints, self._config.home_tolerance_rad)
            or body.closed_hands(joints)
            or any(item.container == HAND for item in snapshot)
        )

    def _note_grip(self, arm: str, object_id: str) -> None:
        """Remembers what a hand may hold after an interrupted motion."""
        sample = self._parts.arms.joints()
        if sample is None or arm in self._parts.body.closed_hands(sample.positions):
            self._held[arm] = object_id

    def retreat(self) -> RunEnd:
        """Brings the arms home after an interrupted motion: along its own path if possible, otherwise like `clear`."""
        try:
            self._await_holds()
        except MotionError as error:
            return RunEnd(error.code, str(error), 0)
        end = self._gone_home_on_path()
        return self.clear() if end is None else end

    def clear(self) -> RunEnd:
        """Puts down what the hands hold and brings the arms home. A stop interrupts it, a cancel does not.

        The motion is planned on a fresh snapshot. If none is found and the arms are still on the path of an interrupted
        motion, they go home along that path, which was free when it was planned.
        """
        try:
            self._await_holds()
            snapshot = fresh_snapshot(self._parts, self._config.frame_timeout_s, lambda: self._valve.stopped)
            if self.arms_clear(snapshot):
                return RunEnd(ReasonCode.DONE, '', 0)
            joints = self.joints()
            plan = self._parts.planner().plan_clear(snapshot, joints, self._holding(joints))
        except MotionError as error:
            end = self._gone_home_on_path() if error.code is ReasonCode.UNREACHABLE else None
            return end or RunEnd(error.code, f'the arms were not brought home: {error}', 0)
        except RefusalError as error:
            return RunEnd(ReasonCode.HARDWARE_FAULT, f'the arms were not brought home: {error}', 0)
        return self._run_home(plan.segments)

    def _await_holds(self) -> None:
        """Waits until arms that are held have come to rest: a way home begins where they are then."""
        until_s = self._valve.holds_until_s(self._parts.arms.now_s())
        self._parts.arms.wait_until(until_s, lambda: self._valve.stopped)

    def _gone_home_on_path(self) -> RunEnd | None:
        if self._broken_off is None:
            return None
        segments, index, release = self._broken_off
        try:
            joints = self.joints()
        except MotionError as error:
            return RunEnd(error.code, str(error), 0)
        controller = segments[index].controller
        way = way_home(
            segments,
            index,
            release,
            joints,
            ramp_s=self._config.resume_s,
            near_rad=self._config.slip_tolerance_rad if self._valve.follows_tightly(controller) else None,
            units=self._valve.units(segments[index].joints),
            own_pace=self._valve.moves_at_own_pace(controller),
        )
        return None if way is None else self._run_home(way)

    def _run_home(self, segments: Sequence[MotionSegment]) -> RunEnd:
        end = self._runner.run(segments, deadline_s=self._parts.arms.now_s() + self._config.action_timeout_s)
        if end.code is ReasonCode.DONE:
            self._held.clear()
        self._broken_off = None
        return end

    def _holding(self, joints: Mapping[str, float]) -> dict[str, str]:
        return dict.fromkeys(self._parts.body.closed_hands(joints), '') | self._held
