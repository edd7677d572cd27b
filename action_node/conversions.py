"""Conversions of trajectories to ROS messages, and of joint states from them."""

from builtin_interfaces.msg import Duration
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from action_node.stop.joint_path import JointPath
from action_node.stop.joint_sample import JointSample
from lucca_ros.conversions.stamps import time_from_msg, time_to_msg


def trajectory_to_msg(joints: tuple[str, ...], path: JointPath, start_s: float) -> JointTrajectory:
    """Converts a trajectory that begins at ROS time `start_s`; 0 means on arrival."""
    msg = JointTrajectory(joint_names=list(joints))
    msg.header.stamp = time_to_msg(start_s)
    msg.points = [
        JointTrajectoryPoint(positions=positions, velocities=velocities, time_from_start=_duration(time_s))
        for time_s, positions, velocities in zip(
            path.times_s.tolist(), path.positions.tolist(), path.velocities.tolist(), strict=True
        )
    ]
    return msg


def joints_from_msg(msg: JointState) -> JointSample:
    """Converts measured joints, finite or not; joints without a position are left out."""
    return JointSample(time_from_msg(msg.header.stamp), dict(zip(msg.name, msg.position, strict=False)))


def _duration(time_s: float) -> Duration:
    nanoseconds = round(time_s * 1e9)
    return Duration(sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000)
