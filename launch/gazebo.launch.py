"""The stack's nodes for Gazebo; with `gazebo:=true` also Gazebo, the ROS bridge and what moves the robot in it.

ros2 launch lucca gazebo.launch.py gazebo:=true scene:=sorting seed:=3
"""

import tempfile
from pathlib import Path

from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration

from launch import Action, LaunchContext, LaunchDescription
from lucca_cli.setup_checks import check_setups
from lucca_robot.profile import RobotProfile, load_profile
from lucca_robot.ros2_control import BROADCASTER
from lucca_ros.launching import (
    GAZEBO_CONTROL_PACKAGES,
    arguments,
    checked,
    chosen,
    described,
    ends_with_launch,
    full_namespace,
    gazebo_partition,
    gazebo_plugin_path,
    is_true,
    local_discovery,
    lucca_node,
    one_stack,
    other_node,
    require_gazebo,
    spawner,
    stack_nodes,
    state_publisher,
    whole_number,
)
from lucca_sim.gazebo_world import Control, write_controlled_world
from lucca_sim.scene import Scene, load_scene
from lucca_sim.sdf import setpoint_topic, write_sdf

SENSOR_BRIDGE = (
    '/camera/color/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/depth/image_raw@sensor_msgs/msg/Image[gz.msgs.Image',
    '/camera/color/camera_info@sensor_msgs/msg/CameraInfo[gz.msgs.CameraInfo',
    '/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock',
)
JOINT_STATES = '/joint_states@sensor_msgs/msg/JointState[gz.msgs.Model'
# A controller becomes active in a step of the simulation, and the first ones may take longer than the spawner waits.
PATIENCE = ('--switch-timeout', '60', '--service-call-timeout', '60')


def generate_launch_description() -> LaunchDescription:
    """The stack on Gazebo's clock; with `gazebo:=true` also `gz sim` with the world of the scene, and the bridge."""
    return described(
        [
            *arguments('gazebo.yaml'),
            DeclareLaunchArgument(
                'gazebo', default_value='false', description='Also start gz sim, the bridge and what moves the robot.'
            ),
            DeclareLaunchArgument(
                'control',
                default_value=Control.RELAY.value,
                description="relay: Gazebo's own controllers behind our relay; ros2_control: gz_ros2_control with the "
                'controllers of a robot.',
            ),
            DeclareLaunchArgument('scene', default_value='sorting_tower', description='A name in config/scenes.'),
            DeclareLaunchArgument('seed', default_value='0', description='Seed of where things stand.'),
            *local_discovery(),
            checked(check_setups),
            *one_stack(),
            OpaqueFunction(function=_gazebo),
            stack_nodes(sim_time=True),
        ]
    )


def _gazebo(context: LaunchContext) -> list[Action]:
    control = Control(chosen('control', tuple(Control), context))
    if not is_true('gazebo', context):
        return []
    require_gazebo(*(GAZEBO_CONTROL_PACKAGES if control is Control.ROS2_CONTROL else ()))
    scene = load_scene(LaunchConfiguration('scene').perform(context), whole_number('seed', context))
    robot = LaunchConfiguration('robot').perform(context)
    profile = load_profile(robot) if robot else load_profile()
    world = Path(tempfile.mkdtemp(prefix='lucca-gazebo-')) / f'{scene.name}.sdf'
    if control is Control.ROS2_CONTROL:
        moving, bridged = _controlled(context, scene, profile, world), SENSOR_BRIDGE
    else:
        write_sdf(scene, profile, world)
        # Gazebo's own controller ignores stamps: see lucca_sim/relay.
        moving = [lucca_node('relay', sim_time=True, extra={'robot': robot} if robot else {})]
        bridged = (*SENSOR_BRIDGE, JOINT_STATES, *_setpoints(profile))
    topics = [each.partition('@')[0] for each in bridged]
    return [
        *moving,
        # Gazebo's topics know no ROS namespace: with a partition of its own, two robots do not hear each other's.
        SetEnvironmentVariable('GZ_PARTITION', gazebo_partition(context)),
        ExecuteProcess(
            cmd=['gz', 'sim', '-r', '-s', str(world)], name='gz', prefix=ends_with_launch(), output='screen'
        ),
        # Gazebo's names are absolute; those of the nodes are in their namespace.
        other_node(
            'ros_gz_bridge',
            'parameter_bridge',
            arguments=list(bridged),
            remappings=[(topic, topic.removeprefix('/')) for topic in topics],
        ),
    ]


def _setpoints(profile: RobotProfile) -> list[str]:
    return [
        f'{setpoint_topic(name)}@trajectory_msgs/msg/JointTrajectory]gz.msgs.JointTrajectory'
        for name in profile.controllers
    ]


def _controlled(context: LaunchContext, scene: Scene, profile: RobotProfile, world: Path) -> list[Action]:
    """Writes a world whose plugin starts a controller manager, and makes what that waits for; before Gazebo."""
    files = write_controlled_world(
        scene,
        profile,
        world,
        namespace=full_namespace(context),
        clock=LaunchConfiguration('clock').perform(context),
    )
    return [
        SetEnvironmentVariable('GZ_SIM_SYSTEM_PLUGIN_PATH', gazebo_plugin_path()),
        state_publisher(files.description.read_text(encoding='utf-8'), sim_time=True),
        spawner([BROADCASTER, *profile.controllers], files.parameters, *PATIENCE),
    ]
