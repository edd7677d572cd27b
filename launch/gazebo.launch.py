"""The stack's nodes for Gazebo; with `gazebo:=true` also Gazebo, the ROS bridge and the trajectory relay.

ros2 launch lucca gazebo.launch.py gazebo:=true scene:=sorting seed:=3
"""

import tempfile
from pathlib import Path

from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import Action, LaunchContext, LaunchDescription
from lucca_robot.profile import load_profile
from lucca_ros.launching import (
    arguments,
    ends_with_launch,
    gazebo_partition,
    is_true,
    local_discovery,
    lucca_node,
    one_stack,
    require_gazebo,
    stack_nodes,
)
from lucca_sim.scene import load_scene
from lucca_sim.sdf import setpoint_topic, write_sdf

SENSOR_BRIDGE = (
    '/camera/color/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/depth/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/color/camera_info@sensor_msgs/msg/CameraInfo[gz.msgs.CameraInfo',
    '/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock',
    '/joint_states@sensor_msgs/msg/JointState[gz.msgs.Model',
)


def generate_launch_description() -> LaunchDescription:
    """The stack on Gazebo's clock; with `gazebo:=true` also `gz sim` with the world of the scene, bridge and relay."""
    return LaunchDescription(
        [
            *arguments('gazebo.yaml'),
            DeclareLaunchArgument(
                'gazebo', default_value='false', description='Also start gz sim, the bridge and the relay.'
            ),
            DeclareLaunchArgument('scene', default_value='sorting_tower', description='A name in config/scenes.'),
            DeclareLaunchArgument('seed', default_value='0', description='Seed of where things stand.'),
            *local_discovery(),
            *one_stack(),
            OpaqueFunction(function=_gazebo),
            stack_nodes(sim_time=True),
        ]
    )


def _gazebo(context: LaunchContext) -> list[Action]:
    if not is_true('gazebo', context):
        return []
    require_gazebo()
    scene = load_scene(LaunchConfiguration('scene').perform(context), int(LaunchConfiguration('seed').perform(context)))
    robot = LaunchConfiguration('robot').perform(context)
    profile = load_profile(robot) if robot else load_profile()
    world = Path(tempfile.mkdtemp(prefix='lucca-gazebo-')) / f'{scene.name}.sdf'
    write_sdf(scene, profile, world)
    setpoints = [
        f'{setpoint_topic(name)}@trajectory_msgs/msg/JointTrajectory]gz.msgs.JointTrajectory'
        for name in profile.controllers
    ]
    topics = [bridged.partition('@')[0] for bridged in (*SENSOR_BRIDGE, *setpoints)]
    return [
        # Gazebo's topics know no ROS namespace: with a partition of its own, two robots do not hear each other's.
        SetEnvironmentVariable('GZ_PARTITION', gazebo_partition(context)),
        ExecuteProcess(cmd=['gz', 'sim', '-r', '-s', str(world)], prefix=ends_with_launch(), output='screen'),
        Node(
            package='ros_gz_bridge',
            executable='parameter_bridge',
            arguments=[*SENSOR_BRIDGE, *setpoints],
            # Gazebo's names are absolute; those of the nodes are in their namespace.
            namespace=LaunchConfiguration('namespace'),
            remappings=[(topic, topic.removeprefix('/')) for topic in topics],
            prefix=ends_with_launch(),
            output='screen',
        ),
        # Gazebo's own controller ignores stamps: see lucca_sim/relay.
        lucca_node('relay', sim_time=True, extra={'robot': robot} if robot else {}),
    ]
