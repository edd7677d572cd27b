"""The robot as the action node needs it: controllers, joint limits, home position, closed hands and pointing rays."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lucca_robot.arm_profile import ControllerInterface
from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import JointTravel, RobotProfile


class Body(Protocol):
    """A robot; joint positions are given in rad by name."""

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms."""
        ...

    @property
    def arm_controllers(self) -> Mapping[str, tuple[str, ...]]:
        """Joints of each arm's controller."""
        ...

    @property
    def controllers(self) -> Mapping[str, tuple[str, ...]]:
        """Joints of every controller, including hands and head."""
        ...

    @property
    def interfaces(self) -> Mapping[str, ControllerInterface]:
        """How controllers are told what to do; those not named take trajectories by topic."""
        ...

    @property
    def max_efforts(self) -> Mapping[str, float]:
        """Largest force in N or torque in Nm by controller of a gripper; 0 or none leaves it to the driver."""
        ...

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Lower and upper limits of the joints, by name, in rad or m."""
        ...

    @property
    def driven_speeds(self) -> Mapping[str, float]:
        """Greatest speeds of the joints that only their drives move, no fingers, by name, in rad/s or m/s."""
        ...

    @property
    def accelerations(self) -> Mapping[str, float]:
        """Greatest accelerations with which the joints of arms are brought to rest, by name, in rad/s²."""
        ...

    @property
    def endless(self) -> frozenset[str]:
        """Joints of arms that turn on and on; their drivers may leave out whole turns."""
        ...

    @property
    def hand_travels(self) -> Mapping[str, JointTravel]:
        """How far the joints of hands move, by name."""
        ...

    def away_from_home(self, joints: Mapping[str, float], tolerance_rad: float) -> tuple[str, ...]:
        """The arms that are not at home; an arm with unknown joints counts as away."""
        ...

    def closed_hands(self, joints: Mapping[str, float]) -> tuple[str, ...]:
        """The arms whose hand is closed far enough to hold something."""
        ...

    def pointing_ray(self, arm: str, joints: Mapping[str, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Tip of the index finger and unit direction in the world frame, shapes (3,)."""
        ...


class ProfileBody:
    """A body described by a robot profile. Not safe for use by two threads at once."""

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self._kinematics = RobotKinematics(profile)
        sides = profile.arms.values()
        self.arms = tuple(profile.arms)
        self.arm_controllers = {arm.controller: arm.joints for arm in sides}
        self.controllers = profile.controllers
        self.interfaces = profile.interfaces
        self.max_efforts = {arm.hand.controller: arm.hand.max_effort for arm in sides}
        self.limits = {joint.name: (joint.lower, joint.upper) for joint in profile.moving_joints}
        self.driven_speeds = profile.driven_speeds
        self.accelerations = {
            name: most for arm in sides for name, most in zip(arm.joints, arm.accelerations, strict=True)
        }
        of_arms = {name for arm in sides for name in arm.joints}
        self.endless = frozenset(joint.name for joint in profile.moving_joints if joint.endless) & of_arms
        self.hand_travels = profile.hand_travels

    def away_from_home(self, joints: Mapping[str, float], tolerance_rad: float) -> tuple[str, ...]:
        """The arms that are not at home."""
        away = []
        for arm in self._profile.arms.values():
            offsets = [abs(joints.get(name, np.inf) - rest) for name, rest in zip(arm.joints, arm.home, strict=True)]
            if max(offsets) > tolerance_rad:
                away.append(arm.name)
        return tuple(away)

    def closed_hands(self, joints: Mapping[str, float]) -> tuple[str, ...]:
        """The arms whose hand may hold something; a hand with unknown joints counts as closed."""
        return tuple(
            arm.name
            for arm in self._profile.arms.values()
            if not all(name in joints for name in arm.hand.joints) or self._kinematics.hand_closed(arm.name, joints)
        )

    def pointing_ray(self, arm: str, joints: Mapping[str, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Tip of the index finger and unit direction."""
        self._kinematics.update(joints)
        return self._kinematics.pointing_ray(arm)
