"""The only way from this node to the controllers, and what shuts it.

Once it is shut by a stop, nothing of a motion gets out any more, whatever its thread is doing.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from action_node.trajectory import Array, Path
from lucca_core.codes import ReasonCode
from lucca_core.errors import MotionError

HOLD_S = 0.1
NOW = 0.0
"""As start of a trajectory: at once when it arrives, as ros2_control reads a stamp of zero."""


@dataclass(frozen=True, slots=True)
class JointSample:
    """Measured joint positions in rad by name, and when they were measured (ROS time)."""

    stamp_s: float
    positions: Mapping[str, float]


class Arms(Protocol):
    """The controllers of the arms and hands, the measured joints, and the clock that they live by."""

    def send(
        self,
        controller: str,
        joints: tuple[str, ...],
        times_s: Array,
        positions: Array,
        velocities: Array,
        start_s: float,
    ) -> None:
        """Sends a trajectory that begins at ROS time `start_s`; times (n,), positions and velocities (n, k)."""
        ...

    def joints(self) -> JointSample | None:
        """The newest measured joints; None before the first."""
        ...

    def silence_s(self, sample: JointSample) -> float:
        """How long `sample`, the newest one, has been the last word, in s.

        By ROS time or by wall time, whichever says less: where a simulation runs faster than real time, a hiccup of this
        machine is no silence of the robot.
        """
        ...

    def now_s(self) -> float:
        """ROS time."""
        ...

    def wait_until(self, time_s: float, interrupted: Callable[[], bool]) -> None:
        """Returns at this ROS time, soon after `interrupted` becomes true, or when the clock went back.

        Raises:
            MotionError: `hardware_fault` if the clock stands still.
        """
        ...


class Valve:
    """The only way from this node to the controllers.

    Args:
        arms: what is behind it.
        arm_joints: joints of each arm's controller. These hold where they are measured.
        silence_s: joints older than this say nothing about where the arm is.
        stopped: it is shut from the beginning, by a stop of before.
    """

    def __init__(
        self, arms: Arms, arm_joints: Mapping[str, tuple[str, ...]], silence_s: float, *, stopped: bool = False
    ) -> None:
        self._arms = arms
        self._arm_joints = dict(arm_joints)
        self._silence_s = silence_s
        self._lock = threading.Lock()
        self._stopped = stopped
        self._stops = 0
        self._sent: dict[str, tuple[tuple[str, ...], Path, float]] = {}

    @property
    def stopped(self) -> bool:
        """True from `stop` to `release`."""
        return self._stopped

    @property
    def stops(self) -> int:
        """How many stops there have been; a release is for those up to a number."""
        return self._stops

    def follows_tightly(self, controller: str) -> bool:
        """True for an arm; a hand may be kept from its goal by what it holds."""
        return controller in self._arm_joints

    def send(self, controller: str, joints: tuple[str, ...], path: Path, start_s: float) -> None:
        """Passes a trajectory on.

        Raises:
            MotionError: `stopped`; nothing was sent.
        """
        with self._lock:
            if self._stopped:
                raise MotionError(ReasonCode.STOPPED, 'the robot was stopped')
            self._pass_on(controller, joints, path, start_s)

    def stop(self) -> None:
        """Shuts the valve and holds: arms where they are measured, a moving hand where it was told to be by now.

        A hand at rest is left alone, so that it keeps its grip. A second call sends nothing, but it counts.
        """
        with self._lock:
            self._stops += 1
            if self._stopped:
                return
            self._stopped = True
            self._hold()

    def hold(self) -> None:
        """As `stop`, but the valve stays open. Does nothing after a stop, which holds already."""
        with self._lock:
            if not self._stopped:
                self._hold()

    def release(self, stops: int) -> bool:
        """Opens the valve, unless there has been a stop after the first `stops`. Nothing moves by that alone."""
        with self._lock:
            if self._stops != stops:
                return False
            self._stopped = False
            return True

    def _hold(self) -> None:
        now_s = self._arms.now_s()
        sample = self._arms.joints()
        fresh = sample is not None and self._arms.silence_s(sample) <= self._silence_s
        moving = {name: sent for name, sent in self._sent.items() if now_s < sent[2] + sent[1].duration_s}
        for controller in {**self._arm_joints, **moving}:
            joints = self._arm_joints.get(controller) or moving[controller][0]
            target: Array | None = None
            if controller in self._arm_joints and fresh and sample and all(name in sample.positions for name in joints):
                target = np.array([sample.positions[name] for name in joints])
            elif controller in moving:
                _, path, start_s = moving[controller]
                target = path.at(now_s - start_s)[0]
            if target is not None:
                self._pass_on(
                    controller, joints, Path(np.array([HOLD_S]), target[None, :], np.zeros((1, len(joints)))), NOW
                )

    def _pass_on(self, controller: str, joints: tuple[str, ...], path: Path, start_s: float) -> None:
        self._arms.send(controller, joints, path.times_s, path.positions, path.velocities, start_s)
        self._sent[controller] = (joints, path, start_s or self._arms.now_s())
