"""The stack on a robot, with cameras and controllers given by arguments; start drivers and ros2_control yourself.

ros2 launch lucca nicol.launch.py camera:=/camera/camera depth:=aligned_depth_to_color/image_raw
"""

from launch.actions import DeclareLaunchArgument, GroupAction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import SetRemap
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription
from lucca_cli.setup_checks import check_setups
from lucca_ros.launching import CONTROLLERS, arguments, checked, described, local_discovery, one_stack, stack_nodes

CONTROLLER_NAMES = (
    'joint_trajectory',
    'planned_trajectory',
    'follow_joint_trajectory',
    'gripper_cmd',
    'get_parameters',
)
COLOUR_TOPICS = ('color/image_raw', 'color/image_raw/compressed', 'color/camera_info')


def generate_launch_description() -> LaunchDescription:
    """The nodes of the stack, on wall time by default, with cameras and controllers remapped."""
    camera, depth = LaunchConfiguration('camera'), LaunchConfiguration('depth')
    remaps = [SetRemap(f'camera/{topic}', [camera, f'/{topic}']) for topic in COLOUR_TOPICS]
    remaps.append(SetRemap('camera/depth/image_raw', [camera, '/', depth]))
    remaps.append(SetRemap('camera/depth/image_raw/compressedDepth', [camera, '/', depth, '/compressedDepth']))
    remaps += [
        SetRemap(f'{name}/{what}', [LaunchConfiguration(name), f'/{what}'])
        for name in CONTROLLERS
        for what in CONTROLLER_NAMES
    ]
    remaps.append(SetRemap('joint_states', LaunchConfiguration('joint_states')))
    sim_time = ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    return described(
        [
            *arguments('nicol.yaml', clock='/clock'),
            DeclareLaunchArgument('camera', default_value='camera', description='Prefix of the camera topics.'),
            DeclareLaunchArgument(
                'depth',
                default_value='depth/image_raw',
                description='Depth registered to colour, below camera; RealSense: aligned_depth_to_color/image_raw.',
            ),
            DeclareLaunchArgument('joint_states', default_value='joint_states', description='Topic of all joints.'),
            *[DeclareLaunchArgument(name, default_value=name, description='Its namespace.') for name in CONTROLLERS],
            DeclareLaunchArgument(
                'use_sim_time', default_value='false', description="True where the robot is another's simulation."
            ),
            *local_discovery(),
            checked(check_setups),
            *one_stack(),
            GroupAction([*remaps, stack_nodes(sim_time=sim_time)]),
        ]
    )
