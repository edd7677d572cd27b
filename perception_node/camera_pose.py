"""The camera's pose when an image is taken: on a head that may move, or as given from outside."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import RobotProfile
from perception_node.camera import Camera, Doubles, Intrinsics, rotation_from_quaternion


@dataclass(frozen=True, slots=True, eq=False)
class CameraPose:
    """Pose of the optical frame in the world: rotation (3, 3) and position (3,) in m."""

    rotation: Doubles
    position_m: Doubles

    def is_near(self, other: 'CameraPose') -> bool:
        """Whether the poses are equal up to rounding."""
        return bool(
            np.allclose(self.rotation, other.rotation, atol=1e-6)
            and np.allclose(self.position_m, other.position_m, atol=1e-6)
        )

    @property
    def numbers(self) -> list[float]:
        """The pose as seven numbers, see `pose_from_numbers`."""
        return [*self.position_m.tolist(), *Rotation.from_matrix(self.rotation).as_quat().tolist()]


def make_camera(intrinsics: Intrinsics, pose: CameraPose) -> Camera:
    """A camera with these intrinsics at a pose."""
    return Camera(**asdict(intrinsics), rotation=pose.rotation, position_m=pose.position_m)


def pose_from_numbers(numbers: tuple[float, ...]) -> CameraPose:
    """A pose from seven numbers: x y z in m, and a unit quaternion qx qy qz qw."""
    return CameraPose(rotation_from_quaternion(*numbers[3:]), np.array(numbers[:3]))


class HeadCamera:
    """The camera on the robot's head; its pose follows from the joints that carry it.

    Args:
        profile: profile of the robot.
        measured: pose measured with the robot at home, instead of the profile's. It moves with the head.
    """

    def __init__(self, profile: RobotProfile, measured: CameraPose | None = None) -> None:
        self._kinematics = RobotKinematics(profile)
        self._home = profile.home
        self._joints = tuple(joint.name for joint in profile.description.chain(profile.camera_link) if joint.moves)
        self._measured = measured
        self._of_profile_at_home = self._of_profile({})

    def at(self, joint_positions: Mapping[str, float]) -> CameraPose:
        """The pose for joint positions in rad by name; joints that are not given are at home."""
        pose = self._of_profile(joint_positions) if self._joints else self._of_profile_at_home
        if self._measured is None:
            return pose
        # The head's motion since it was at home also moves the measured pose.
        home = self._of_profile_at_home
        turn = pose.rotation @ home.rotation.T
        return CameraPose(
            turn @ self._measured.rotation,
            turn @ (self._measured.position_m - home.position_m) + pose.position_m,
        )

    def _of_profile(self, joint_positions: Mapping[str, float]) -> CameraPose:
        moved = {name: joint_positions[name] for name in self._joints if name in joint_positions}
        self._kinematics.update(self._home | moved)
        return CameraPose(*self._kinematics.camera_pose())
