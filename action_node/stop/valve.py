"""The valve: the only way from this node to the controllers. A stop shuts it and holds the arms.

Once it is shut, no part of a motion is sent any more, whatever other threads do.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from action_node.stop.joint_path import Array, JointPath
from action_node.stop.joint_sample import JointSample
from action_node.stop.sent_motion import Hold, SentMotion
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError
from lucca_robot.arm_profile import USUAL_ACCELERATION
from lucca_robot.profile import JointTravel

_LOG = logging.getLogger(__name__)

HOLD_S, SLOW_HOLD_S, MOST_HOLD_S = 0.1, 1.0, 1.5
"""Least time of a hold, that of a slow one, and greatest one, in s: an arm that may not be where it is measured is held
slowly. What its accelerations allow may take longer, but nobody checks where it goes meanwhile."""
HOLD_TRIES = 2
BEYOND_LIMIT = 0.2
"""Margin, in rad or m, by which a measured position may exceed a joint's limits; beyond it, the sensor is faulty."""
BRAKE_SHARE = 1.5
"""How much longer than at its greatest acceleration an arm brakes along its path, which adds some of its own."""
HOLD_AGE_S = 0.2
"""Largest age of a measured position at which a moving arm is held; holding at an older one would throw it back."""
PATIENCE_S = 0.5
"""Wall time for which a stop waits for a trajectory that is being sent. Any later one finds the valve shut."""
NOW = 0.0
"""Start time of a trajectory that begins on arrival; ros2_control reads a zero stamp like that."""


class Arms(Protocol):
    """The controllers of arms and hands, the measured joints, and their clock."""

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        """Sends a trajectory that begins at ROS time `start_s`."""
        ...

    def joints(self) -> JointSample | None:
        """The newest measured joints; None before the first."""
        ...

    def silence_s(self, sample: JointSample) -> float:
        """Age of the newest sample, in s, by ROS time or wall time, whichever is less.

        When a simulation runs faster than real time, a short delay of this machine must not count as silence.
        """
        ...

    def now_s(self) -> float:
        """ROS time."""
        ...

    def driver_fault(self) -> str:
        """Why a driver has stopped by itself; '' if none has said so since `forget_faults`."""
        ...

    def report_expected(self, controller: str) -> bool:
        """Whether a driver that reports the ends of motions has not reported that of the last one."""
        ...

    def report_stalled(self, controller: str) -> bool:
        """Whether such a driver has reported that something kept its gripper from the end of the last motion."""
        ...

    def forget_faults(self) -> None:
        """Clears the faults after a reset: earlier reports of drivers no longer count."""
        ...

    def wait_until(self, time_s: float, interrupted: Callable[[], bool]) -> None:
        """Waits until a ROS time; returns early once `interrupted` is true or the clock goes back.

        Raises:
            MotionError: `hardware_fault` if the clock stands still.
        """
        ...


class Valve:
    """The only way from this node to the controllers.

    Args:
        arms: the controllers behind it.
        arm_joints: joints of each arm's controller; arms are held at their measured positions.
        silence_s: measured joints older than this are not used.
        limits: lower and upper limits of joints, by name; measurements far outside them are not used.
        travels: how far joints of hands move, by name.
        accelerations: greatest ones with which joints of arms are held, in rad/s², by name; USUAL_ACCELERATION for
            others.
        lead_s: longest time that a command takes to its controller.
        own_pace: controllers of hands that move to the end of a path at their own pace. Until `rests` is called, such a
            hand counts as moving, and it is held where it is measured.
        stopped: whether the valve is shut from the beginning.
    """

    def __init__(
        self,
        arms: Arms,
        arm_joints: Mapping[str, tuple[str, ...]],
        silence_s: float,
        *,
        limits: Mapping[str, tuple[float, float]] | None = None,
        travels: Mapping[str, JointTravel] | None = None,
        accelerations: Mapping[str, float] | None = None,
        lead_s: float = 2.0,
        own_pace: Collection[str] = (),
        stopped: bool = False,
    ) -> None:
        self._arms = arms
        self._arm_joints = dict(arm_joints)
        self._silence_s = silence_s
        self._limits = dict(limits or {})
        self._travels = dict(travels or {})
        self._accelerations = dict(accelerations or {})
        self._lead_s = lead_s
        self._own_pace = frozenset(own_pace)
        self._sending = threading.Lock()
        self._counting = threading.Lock()
        self._stopped = stopped
        self._stops = 0
        self._sent: dict[str, SentMotion] = {}
        self._holds: dict[str, Hold] = {}
        self._being_sent = ''
        self._not_held: dict[str, str] = {}

    @property
    def stopped(self) -> bool:
        """True from `stop` to `release`."""
        return self._stopped

    @property
    def stops(self) -> int:
        """Number of stops so far. A release lifts the stops up to a given number."""
        return self._stops

    def follows_tightly(self, controller: str) -> bool:
        """True for an arm; an object may keep a hand from following its path."""
        return controller in self._arm_joints

    def moves_at_own_pace(self, controller: str) -> bool:
        """True for a hand whose controller ignores the times of a path."""
        return controller in self._own_pace

    def rests(self, controller: str) -> None:
        """Notes that a hand has come to rest. A stop leaves it alone from now on, so that it keeps its grip."""
        if controller in self._own_pace:
            self._sent.pop(controller, None)

    def units(self, joints: Sequence[str]) -> Array:
        """The unit of each joint's distances in rad or m, shape (n,): `JointTravel.unit` for hands, 1 for arms."""
        return np.array([self._travels[name].unit if name in self._travels else 1.0 for name in joints])

    def holds_until_s(self, now_s: float) -> float:
        """ROS time until which arms that are held may still move; `now_s` if none does."""
        return max((hold.until_s(now_s) for hold in dict(self._holds).values()), default=now_s)

    def brake_s(self, controller: str, joints: Sequence[str], path: JointPath) -> float:
        """Time in which a controller comes to rest along a path, in s: HOLD_S, or for an arm what it needs."""
        if not self.follows_tightly(controller):
            return HOLD_S
        most = np.array([self._accelerations.get(name, USUAL_ACCELERATION) for name in joints])
        return max(HOLD_S, BRAKE_SHARE * float((np.abs(path.velocities).max(axis=0) / most).max()))

    def opens(self, joints: Sequence[str], path: JointPath) -> bool:
        """Whether a path takes no joint of a hand further away from where it is when the hand is open."""
        opened = [self._travels[name].opened if name in self._travels else math.nan for name in joints]
        begin, end = np.abs(path.positions[0] - opened), np.abs(path.positions[-1] - opened)
        return not (end > begin).any()

    def send(self, controller: str, joints: tuple[str, ...], path: JointPath, start_s: float) -> None:
        """Sends a trajectory.

        Raises:
            MotionError: `stopped`, or what the controller's sender raises; nothing was sent.
        """
        troubles: list[tuple[str, Exception]] = []
        with self._sending:
            if self._stopped:
                raise MotionError(ReasonCode.STOPPED, 'the robot was stopped')
            # Noted before it is sent, because an unknown trajectory could not be held.
            before = self._sent.get(controller)
            self._sent[controller] = SentMotion(joints, path, start_s, self._arms.now_s(), time.monotonic())
            self._being_sent = controller
            try:
                self._arms.send(controller, joints, path, start_s)
            except MotionError:
                self._not_sent(controller, before)
                raise
            finally:
                if self.stopped:
                    # The stop may have timed out and held before this was sent: the last command must be a hold.
                    troubles = self._hold((controller,))
                self._being_sent = ''
        _log(troubles)

    def _not_sent(self, controller: str, before: SentMotion | None) -> None:
        """Notes what a hand at its own pace still does; at rest, it is left alone, so that it keeps its grip."""
        if controller not in self._own_pace:
            return
        if before is None:
            self._sent.pop(controller, None)
        else:
            self._sent[controller] = before

    def stop(self, meanwhile: Callable[[], object] = lambda: None) -> tuple[str, ...]:
        """Shuts the valve and holds the arms where they are measured, and moving hands where they should be by now.

        A moving hand at its own pace is held where it is measured, and cannot be held if it is not measured. A hand at
        rest is left alone, so that it keeps its grip. A second call holds only what the first one could not,
        but it counts as a stop. Never raises: each controller is held independently of the others.

        Args:
            meanwhile: called after the valve is shut and before the hold.

        Returns:
            What could not be held, and why.
        """
        with self._counting:
            self._stops += 1
            first, self._stopped = not self._stopped, True
        beside: tuple[str, ...] = ()
        try:
            meanwhile()
        except Exception as error:  # noqa: BLE001 - whatever it is, the arms are held
            beside = (f'{type(error).__name__}: {error}',)
        return self._hold_alone(None if first else tuple(self._not_held)) + beside

    def hold(self) -> tuple[str, ...]:
        """Holds like `stop`, but leaves the valve open. Does nothing after a stop."""
        return () if self._stopped else self._hold_alone(None)

    def release(self, stops: int) -> bool:
        """Opens the valve, unless there has been a stop after the first `stops`. This alone moves nothing."""
        with self._counting:
            if self._stops != stops:
                return False
            self._stopped = False
            return True

    def _hold_alone(self, only: tuple[str, ...] | None) -> tuple[str, ...]:
        """Holds `only` these controllers, or all, while nothing else is sent. Returns what is not held, and why."""
        if only is None:
            self._not_held.clear()
        alone = self._sending.acquire(timeout=PATIENCE_S)
        try:
            troubles = self._hold(only)
            if not alone and (late := self._being_sent):
                self._not_held.setdefault(late, 'a trajectory is still being sent')
            faults = tuple(f'{name}: {fault}' for name, fault in dict(self._not_held).items())
        finally:
            if alone:
                self._sending.release()
        _log(troubles)
        return faults

    def _hold(self, only: tuple[str, ...] | None) -> list[tuple[str, Exception]]:
        """Holds `only` these controllers, or all. Returns the errors, to be logged once everything is held."""
        troubles: list[tuple[str, Exception]] = []
        now_s, measured = self._now_s(troubles), self._measured(troubles)
        moving = {
            name: at_s
            for name, sent in dict(self._sent).items()
            if (at_s := sent.at_s(now_s)) < sent.path.duration_s or name in self._own_pace
        }
        for controller in {**self._arm_joints, **moving} if only is None else only:
            if self._held(controller, measured, moving.get(controller), now_s, troubles):
                self._not_held.pop(controller, None)
            else:
                self._not_held[controller] = f'{type(troubles[-1][1]).__name__}: {troubles[-1][1]}'
        return troubles

    def _now_s(self, troubles: list[tuple[str, Exception]]) -> float | None:
        """ROS time; None if the clock fails."""
        try:
            now_s = self._arms.now_s()
            return now_s if math.isfinite(now_s) else None
        except Exception as error:  # noqa: BLE001 - whatever it is, the arms are held
            troubles.append(('the clock', error))
            return None

    def _measured(self, troubles: list[tuple[str, Exception]]) -> JointSample | None:
        """The measured joints with plausible positions, if they are fresh."""
        try:
            sample = self._arms.joints()
            if sample is None or not self._arms.silence_s(sample) <= self._silence_s:
                return None
            possible = {
                name: value
                for name, value in sample.positions.items()
                if self._is_possible(name, value) and name not in sample.contradictions
            }
            return replace(sample, positions=possible)
        except Exception as error:  # noqa: BLE001 - as above
            troubles.append(('measured joints', error))
            return None

    def _is_possible(self, joint: str, position: float) -> bool:
        lower, upper = self._limits.get(joint, (-math.inf, math.inf))
        return math.isfinite(position) and lower - BEYOND_LIMIT <= position <= upper + BEYOND_LIMIT

    def _held(
        self,
        controller: str,
        measured: JointSample | None,
        at_s: float | None,
        now_s: float | None,
        troubles: list[tuple[str, Exception]],
    ) -> bool:
        """Holds one controller in the first way that can be sent. If none can, returns False; the last error is why."""
        held = True
        for _ in range(HOLD_TRIES):
            for way in (self._where_measured, self._where_told):
                try:
                    found = way(controller, measured, at_s)
                    if found is None:
                        continue
                    joints, target = found
                    sent = self._last_motion(controller, now_s)
                    hold_s = self._hold_time_s(controller, sent, target, now_s, measured)
                    path = JointPath(np.array([hold_s]), target[None, :], np.zeros((1, len(joints))))
                    self._arms.send(controller, joints, path, NOW)
                except Exception as error:  # noqa: BLE001 - it is tried another way, and the other controllers are held
                    troubles.append((controller, error))
                    held = False
                else:
                    self._holds[controller] = Hold(sent, hold_s, time.monotonic(), now_s)
                    self._sent.pop(controller, None)
                    return True
        # If there was no way to hold, the controller has completed its trajectory and is at rest.
        return held

    def _last_motion(self, controller: str, now_s: float | None) -> SentMotion | None:
        """The last trajectory of a controller, also one of which a hold has not taken the speed yet."""
        hold = self._holds.get(controller)
        return self._sent.get(controller) or (hold.sent if hold is not None and not hold.is_over(now_s) else None)

    def _hold_time_s(
        self, controller: str, sent: SentMotion | None, target: Array, now_s: float | None, measured: JointSample | None
    ) -> float:
        """Time of a hold: what accelerations allow; longer if an arm is measured far from where it was told to be.

        One of the two is wrong then.
        """
        if sent is None or not self.follows_tightly(controller):
            return HOLD_S
        at_s = sent.at_s(now_s)
        accelerations = np.array([self._accelerations.get(name, USUAL_ACCELERATION) for name in sent.joints])
        # Another hold does not say how fast the arm is meanwhile.
        held = controller not in self._sent
        speeds = sent.speeds(None if held else now_s, target, HOLD_AGE_S + self._lead_s, self._lead_s)
        rest_s = sent.path.time_to_rest(at_s, target, speeds, accelerations)
        least_s = max(HOLD_S, min(rest_s, MOST_HOLD_S))
        if measured is not None and measured.contradicting(sent.joints):
            return max(least_s, SLOW_HOLD_S)
        # An arm that is told to be further on may still move on: it turns.
        return max(least_s, min(sent.path.time_from(at_s, target, turning=True), SLOW_HOLD_S))

    def _where_measured(
        self, controller: str, measured: JointSample | None, at_s: float | None
    ) -> tuple[tuple[str, ...], Array] | None:
        joints = self._arm_joints.get(controller, ())
        if controller in self._own_pace and (sent := self._sent.get(controller)) is not None:
            joints = sent.joints
        if measured is None or not joints or not all(name in measured.positions for name in joints):
            return None
        if at_s is not None:
            age_s = self._arms.silence_s(measured) + measured.stamp_s - measured.measured_s(joints)
            # Going back a little does less harm to a hand at its own pace than going on to where nobody sees it.
            if not age_s <= (self._silence_s if controller in self._own_pace else HOLD_AGE_S):
                return None
        return joints, np.array([measured.positions[name] for name in joints])

    def _where_told(
        self, controller: str, measured: JointSample | None, at_s: float | None
    ) -> tuple[tuple[str, ...], Array] | None:
        sent = self._sent.get(controller)
        if at_s is None or sent is None:
            return None
        if controller in self._own_pace:
            # Its path does not say where it is, neither during the time of the path nor later.
            if self._where_measured(controller, measured, at_s) is not None:
                return None
            raise MotionError(ReasonCode.HARDWARE_FAULT, 'it may still be moving, and its joints are not measured')
        return sent.joints, sent.path.at(at_s)[0]


def _log(troubles: Sequence[tuple[str, Exception]]) -> None:
    for what, error in troubles:
        _LOG.error('a hold without %s: %s', what, error, exc_info=error)
