"""The stack against Gazebo: our nodes always, Gazebo itself and the bridge with `gazebo:=true`.

ros2 launch lucca gazebo.launch.py gazebo:=true scene:=sorting seed:=3
"""

import tempfile
from pathlib import Path

from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import Action, LaunchContext, LaunchDescription
from lucca_robot.profile import load_profile
from lucca_ros.launching import arguments, ends_with_launch, local_discovery, one_stack, stack_nodes
from lucca_sim.scene import load_scene
from lucca_sim.sdf import write_sdf

CAMERA_BRIDGE = (
    '/camera/color/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/depth/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/color/camera_info@sensor_msgs/msg/CameraInfo[gz.msgs.CameraInfo',
    '/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock',
    '/joint_states@sensor_msgs/msg/JointState[gz.msgs.Model',
)
CONTROLLERS = ('left_arm', 'right_arm', 'left_hand', 'right_hand', 'head')


def generate_launch_description() -> LaunchDescription:
    """The stack on Gazebo's clock; with `gazebo:=true` also `gz sim` with the scene's world and the topic bridge."""
    return LaunchDescription(
        [
            *arguments('gazebo.yaml'),
            DeclareLaunchArgument('gazebo', default_value='false', description='Also start gz sim and the bridge.'),
            DeclareLaunchArgument('scene', default_value='sorting_tower', description='A name in config/scenes.'),
            DeclareLaunchArgument('seed', default_value='0', description='Seed of where things stand.'),
            *local_discovery(),
            *one_stack(),
            OpaqueFunction(function=_gazebo),
            stack_nodes(sim_time=True),
        ]
    )


def _gazebo(context: LaunchContext) -> list[Action]:
    if LaunchConfiguration('gazebo').perform(context).lower() != 'true':
        return []
    scene = load_scene(LaunchConfiguration('scene').perform(context), int(LaunchConfiguration('seed').perform(context)))
    world = Path(tempfile.mkdtemp(prefix='lucca-gazebo-')) / f'{scene.name}.sdf'
    write_sdf(scene, load_profile(), world)
    trajectories = [
        f'/{name}_controller/joint_trajectory@trajectory_msgs/msg/JointTrajectory]gz.msgs.JointTrajectory'
        for name in CONTROLLERS
    ]
    topics = [bridged.partition('@')[0] for bridged in (*CAMERA_BRIDGE, *trajectories)]
    return [
        ExecuteProcess(cmd=['gz', 'sim', '-r', '-s', str(world)], prefix=ends_with_launch(), output='screen'),
        Node(
            package='ros_gz_bridge',
            executable='parameter_bridge',
            arguments=[*CAMERA_BRIDGE, *trajectories],
            # Gazebo's names are absolute; the nodes' are those of their namespace.
            namespace=LaunchConfiguration('namespace'),
            remappings=[(topic, topic.removeprefix('/')) for topic in topics],
            prefix=ends_with_launch(),
            output='screen',
        ),
    ]
