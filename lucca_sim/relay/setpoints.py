"""Conversion of stamped trajectories to setpoints: one position per joint, at the moment when it is due.

Gazebo's trajectory controller ignores the stamp of a trajectory and applies each point after the previous one, without
interpolation. It would run chunks that overlap in time, as the action node sends them, one after another and with
jumps. Therefore it is sent one point at a time.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lucca_sim.trajectory_controller import Trajectory, TrajectoryController

Array = NDArray[np.float64]


class SetpointRelay:
    """Follows the newest trajectory of each controller as ros2_control's controller would.

    A controller gets no setpoints until its first trajectory, which begins where its joints were last measured. The
    same applies after its joints were silent for `silence_s`, or after time went back. While its joints are silent, it
    accepts no trajectory, because the start is unknown.

    Args:
        controllers: joints of each controller, in its order.
        limits: lower and upper limit of each joint in rad or m.
        lag_s: lag of each joint's servo behind its command, in s; the command is for the point due that much later.
        silence_s: longest time between two measurements.
    """

    def __init__(
        self,
        controllers: Mapping[str, Sequence[str]],
        limits: Mapping[str, tuple[float, float]],
        lag_s: Mapping[str, float],
        silence_s: float,
    ) -> None:
        self._joints = {name: tuple(joints) for name, joints in controllers.items()}
        self._limits = limits
        self._lag_s = {name: np.array([lag_s[joint] for joint in joints]) for name, joints in controllers.items()}
        self._silence_s = silence_s
        self._measured: dict[str, tuple[float, float]] = {}
        self._followed: dict[str, TrajectoryController] = {}
        self._heard_s: dict[str, float] = {}
        self._moving: set[str] = set()
        self._commanded: set[str] = set()
        self._now_s = 0.0

    def measured(self, positions: Mapping[str, float], now_s: float) -> None:
        """Takes measured positions, in rad or m, of some or all joints: several publishers may share a controller.

        A controller that was silent starts again from them. It is as old as the oldest of its joints.
        """
        if now_s < self._now_s:
            self._forget()
        self._now_s = now_s
        for joint, position in positions.items():
            if np.isfinite(position):
                self._measured[joint] = position, now_s
            else:
                self._measured.pop(joint, None)
        for name, joints in self._joints.items():
            measured = [self._measured[joint] for joint in joints if joint in self._measured]
            if len(measured) < len(joints) or positions.keys().isdisjoint(joints):
                continue
            oldest_s = min(at_s for _, at_s in measured)
            if now_s - oldest_s > self._silence_s:
                continue
            if name not in self._commanded or now_s - self._heard_s[name] > self._silence_s:
                start = [position for position, _ in measured]
                self._followed[name] = TrajectoryController(name, joints, self._limits, start)
                self._commanded.discard(name)
                self._moving.discard(name)
            self._heard_s[name] = oldest_s

    def command(self, controller: str, trajectory: Trajectory, now_s: float) -> None:
        """Replaces the trajectory of a controller; see `TrajectoryController.command`.

        Raises:
            ValueError: the trajectory is refused, or the controller's joints are silent.
        """
        if not self._is_heard(controller, now_s):
            missing = f'{controller}: its joints {list(self._joints[controller])} send no states'
            raise ValueError(f'{missing}, and a trajectory must begin where they are')
        self._followed[controller].command(trajectory, now_s)
        self._commanded.add(controller)
        self._moving.add(controller)

    def setpoints(self, now_s: float) -> dict[str, Array]:
        """The present setpoints (k,) of each controller, in rad or m; controllers without a change are left out."""
        due = {}
        for name in sorted(self._moving):
            if not self._is_heard(name, now_s):
                # The servos of this controller hold their last setpoints.
                self._moving.discard(name)
                continue
            followed = self._followed[name]
            position, velocity = followed.sample(now_s)
            lower, upper = np.array([self._limits[joint] for joint in self._joints[name]]).T
            due[name] = np.clip(position + velocity * self._lag_s[name], lower, upper)
            if not followed.is_moving(now_s):
                self._moving.discard(name)
        return due

    def joints_of(self, controller: str) -> tuple[str, ...]:
        """A controller's joints, in the order of its setpoints."""
        return self._joints[controller]

    def _is_heard(self, controller: str, now_s: float) -> bool:
        return controller in self._followed and 0 <= now_s - self._heard_s[controller] <= self._silence_s

    def _forget(self) -> None:
        self._measured.clear()
        self._followed.clear()
        self._heard_s.clear()
        self._commanded.clear()
        self._moving.clear()
