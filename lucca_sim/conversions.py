"""Conversions of the simulator's values to ROS messages, and of trajectories from them."""

import array
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from lucca_ros.conversions.stamps import time_from_msg, time_to_msg
from lucca_sim.mujoco_world import CameraIntrinsics
from lucca_sim.trajectory_controller import Trajectory


def clock_to_msg(time_s: float) -> Clock:
    """Simulated time as a clock message."""
    return Clock(clock=time_to_msg(time_s))


def joint_state_to_msg(time_s: float, positions: Mapping[str, float], velocities: Mapping[str, float]) -> JointState:
    """Positions and velocities of all joints; efforts are left empty."""
    return JointState(
        header=Header(stamp=time_to_msg(time_s)),
        name=list(positions),
        position=array.array('d', positions.values()),
        velocity=array.array('d', [velocities[name] for name in positions]),
    )


def camera_info_to_msg(camera: CameraIntrinsics, time_s: float, frame_id: str) -> CameraInfo:
    """The pinhole camera, without distortion; the colour and depth cameras are the same."""
    focal, (cx, cy) = camera.focal_px, camera.centre_px
    return CameraInfo(
        header=Header(stamp=time_to_msg(time_s), frame_id=frame_id),
        width=camera.width,
        height=camera.height,
        distortion_model='plumb_bob',
        d=[0.0] * 5,
        k=[focal, 0.0, cx, 0.0, focal, cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[focal, 0.0, cx, 0.0, 0.0, focal, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def setpoint_to_msg(joints: Sequence[str], positions: NDArray[np.float64]) -> JointTrajectory:
    """A trajectory with one point that is due at once, without a stamp."""
    return JointTrajectory(joint_names=list(joints), points=[JointTrajectoryPoint(positions=positions.tolist())])


def trajectory_from_msg(msg: JointTrajectory) -> Trajectory:
    """Reads a trajectory; velocities are used only if every point has them.

    Raises:
        ValueError: there is no point, or a point does not match the number of joints.
    """
    if not msg.points:
        raise ValueError('a trajectory needs at least one point')
    count = len(msg.joint_names)
    for point in msg.points:
        if len(point.positions) != count or len(point.velocities) not in (0, count):
            raise ValueError(
                f'a point has {len(point.positions)} positions and {len(point.velocities)} velocities '
                f'for {count} joints'
            )
    have_velocities = all(len(point.velocities) for point in msg.points)
    return Trajectory(
        joints=tuple(msg.joint_names),
        times_s=np.array([point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec for point in msg.points]),
        positions=np.array([point.positions for point in msg.points], dtype=float),
        velocities=np.array([point.velocities for point in msg.points], dtype=float) if have_velocities else None,
        start_s=time_from_msg(msg.header.stamp),
    )
