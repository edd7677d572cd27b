"""Shared parts of the launch files: arguments, one stack per namespace, local discovery, nodes that are restarted."""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler, SetEnvironmentVariable
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.utilities import prefix_namespace

from launch import Action, LaunchContext, LaunchDescription
from lucca_core.claim import EXIT_ALREADY_RUNNING, STACK, Claim, already_running, domain_id, holder
from lucca_core.environment import apply_defaults
from lucca_core.errors import StackError
from lucca_core.namespace import absolute
from lucca_core.nodes import NodeSetup
from lucca_core.parent_process import PARENT
from lucca_core.paths import config_dir

STACK_NODES = ('perception', 'action', 'worker', 'coordinator')
SPEECH = 'speech'
WITH_ROBOT = ('perception', 'action')
"""The nodes of the stack that read the robot profile."""
CONTROLLERS = (
    'left_arm_controller',
    'right_arm_controller',
    'left_hand_controller',
    'right_hand_controller',
    'head_controller',
)
"""Launch arguments that name the controllers of a robot."""
_TRUE_OR_FALSE = ('speech', 'dry_run', 'respawn', 'use_sim_time', 'gazebo', 'stack', 'rviz', 'aggregator')
_ROS_NAMES = ('clock', 'camera', 'depth', 'joint_states', *CONTROLLERS)
_ROS_NAME = re.compile(r'(~?/)?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*')
_LIKE = 0.85
"""Least likeness of a misspelt name; see difflib."""
LOCAL_TF = (('/tf', 'tf'), ('/tf_static', 'tf_static'))
"""Remappings that give a robot in a namespace its own frames."""


def arguments(params_file: str, *, clock: str = 'clock') -> list[Action]:
    """The launch arguments that every launch file of lucca takes. `clock`: the default topic of simulated time."""
    return [
        DeclareLaunchArgument(
            'base_params_file',
            default_value=str(config_dir() / 'nodes' / params_file),
            description='ROS parameter file of the stack itself; to change parameters, give params_file.',
        ),
        DeclareLaunchArgument(
            'params_file',
            default_value=LaunchConfiguration('base_params_file'),
            description='Your ROS parameter file; its values override those of base_params_file.',
        ),
        DeclareLaunchArgument(
            'robot',
            default_value='',
            description='Robot profile: a name in config/robots or a file; empty: the one in params_file.',
        ),
        DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes and topics.'),
        DeclareLaunchArgument('clock', default_value=clock, description='Topic of simulated time.'),
        DeclareLaunchArgument('llm', default_value='', description="Coordinator's model spec; empty: its default."),
        DeclareLaunchArgument('worker_llm', default_value='', description="Worker's model spec; empty: its default."),
        DeclareLaunchArgument('data_dir', default_value='', description='Folder of the memory; empty: its default.'),
        DeclareLaunchArgument(
            'state_dir', default_value='', description='Folder that keeps a stop until the reset; empty: its default.'
        ),
        DeclareLaunchArgument(
            'speech', default_value='true', description='Start the speech node, which listens and speaks.'
        ),
        DeclareLaunchArgument(
            'dry_run', default_value='false', description='Publish plans, but send nothing to a controller.'
        ),
        DeclareLaunchArgument('respawn', default_value='true', description='Restart a node that ends.'),
    ]


def described(actions: Sequence[Action]) -> LaunchDescription:
    """The description of a launch file, which begins with a check of the arguments that were given.

    Launch takes any name without a word, so that `dryrun:=true` would move a robot. A name that is like none of the
    declared ones may be an argument of a launch file that includes this one. A node that refuses a value would be
    started again and again.
    """
    declared = [action.name for action in actions if isinstance(action, DeclareLaunchArgument)]
    checks = [OpaqueFunction(function=check, args=[declared]) for check in (_refuse_misspelt, _refuse_values)]
    return LaunchDescription([*checks, *actions])


def _refuse_misspelt(context: LaunchContext, declared: Sequence[str]) -> None:
    for given in context.argv:
        name, is_argument, _ = given.partition(':=')
        if is_argument and name not in declared and (near := get_close_matches(name, declared, 1, _LIKE)):
            raise StackError(f'there is no launch argument {name!r}; did you mean {near[0]!r}?')


def _refuse_values(context: LaunchContext, declared: Sequence[str]) -> None:
    given = context.launch_configurations
    for name in set(declared) & set(given):
        if name in _TRUE_OR_FALSE:
            is_true(name, context)
        elif name in _ROS_NAMES and not _ROS_NAME.fullmatch(given[name]):
            raise StackError(f'{name} must be a ROS name, such as camera or /robot/camera_1, got {given[name]!r}')
        elif name == 'namespace':
            absolute(given[name])


def checked(
    check: Callable[[Sequence[NodeSetup]], None], *beside: Callable[[LaunchContext], NodeSetup]
) -> OpaqueFunction:
    """Checks the settings of all nodes before any of them starts. `beside`: nodes beside those of `stack_nodes`."""
    return OpaqueFunction(
        function=lambda context: check([*_stack_setups(context), *(make(context) for make in beside)])
    )


def one_stack(*beside: str) -> list[Action]:
    """Makes this launch the only stack in its domain and namespace, and makes its nodes end whenever the launch ends.

    Place it before the nodes: if another stack is running, the launch ends with the reason and starts nothing.
    `beside`: nodes that the launch file starts in addition to those of `stack_nodes`.
    """
    return [
        SetEnvironmentVariable(PARENT, str(os.getpid())),
        OpaqueFunction(function=_claim_stack, args=[beside]),
        RegisterEventHandler(OnProcessExit(on_exit=_end_where_another_runs)),
    ]


def gazebo_partition(context: LaunchContext) -> str:
    """The partition of Gazebo's topics for this launch: `GZ_PARTITION` if it is set, else one for domain and namespace.

    Gazebo's topics know no ROS namespace. With one partition, two simulated robots would hear each other's setpoints.
    """
    domain, namespace = _place(context)
    return os.environ.get('GZ_PARTITION') or f'lucca-{domain}{namespace.rstrip("/").replace("/", "-")}'


def full_namespace(context: LaunchContext) -> str:
    """The namespace of the nodes, for a program that launch does not put into it."""
    return _place(context)[1]


def _place(context: LaunchContext) -> tuple[int, str]:
    """Domain and namespace of the nodes, as they get it: below one that an including launch file has pushed."""
    pushed = context.launch_configurations.get('ros_namespace')
    namespace = prefix_namespace(pushed, LaunchConfiguration('namespace').perform(context))
    return domain_id(), absolute(namespace or '/')


def _claim_stack(context: LaunchContext, beside: Sequence[str]) -> list[Action]:
    domain, namespace = _place(context)
    kinds = [*STACK_NODES, *beside, *([SPEECH] if is_true('speech', context) else [])]
    claim = Claim(STACK, domain, namespace)
    for kind in kinds:
        if who := holder(kind, domain, namespace):
            claim.release()
            raise already_running(kind, domain, namespace, who)
    return [RegisterEventHandler(OnShutdown(on_shutdown=lambda event, context: claim.release()))]


def is_true(name: str, context: LaunchContext) -> bool:
    """The value of a launch argument that is true or false, read as launch's own conditions read it.

    Raises:
        StackError: it is neither. For example, `dry_run:=yes` must not move a robot.
    """
    value = LaunchConfiguration(name).perform(context).strip().lower()
    if value not in ('true', '1', 'false', '0'):
        raise StackError(f'{name} must be true or false, got {value!r}')
    return value in ('true', '1')


def whole_number(name: str, context: LaunchContext) -> int:
    """The value of a launch argument that must be a whole number, 0 or more.

    Raises:
        StackError: it is none.
    """
    value = LaunchConfiguration(name).perform(context)
    if not (value.isascii() and value.isdigit()):
        raise StackError(f'{name} must be a whole number, 0 or more, got {value!r}')
    return int(value)


def chosen(name: str, known: Sequence[str], context: LaunchContext) -> str:
    """The value of a launch argument that must be one of `known`.

    Raises:
        StackError: it is another word.
    """
    value = LaunchConfiguration(name).perform(context)
    if value not in known:
        raise StackError(f'{name} must be one of {", ".join(known)}, got {value!r}')
    return value


def _end_where_another_runs(event: Any, context: LaunchContext) -> None:
    if event.returncode == EXIT_ALREADY_RUNNING:
        raise StackError(f'{event.process_name} is already running elsewhere, as it said above; this launch ends')


def ends_with_launch() -> str:
    """Command prefix that ends an external program together with the launch; empty if setpriv is not installed."""
    return 'setpriv --pdeathsig TERM' if shutil.which('setpriv') else ''


def other_node(package: str, executable: str, **given: object) -> Node:
    """A node of another package, which ends with the launch."""
    return Node(
        package=package,
        executable=executable,
        # Otherwise launch would call it by the first word of its prefix.
        exec_name=executable,
        namespace=LaunchConfiguration('namespace'),
        prefix=ends_with_launch(),
        output='screen',
        **given,
    )


def state_publisher(urdf: str, *, sim_time: bool = False) -> Node:
    """The node that publishes a robot's description, and the frames of its links from its joint states."""
    return other_node(
        'robot_state_publisher',
        'robot_state_publisher',
        parameters=[
            {'robot_description': ParameterValue(urdf, value_type=str)},
            # Not set to false: an including launch file may have set it.
            *([{'use_sim_time': True}] if sim_time else []),
        ],
        remappings=[*([('/clock', LaunchConfiguration('clock'))] if sim_time else []), *LOCAL_TF],
    )


def spawner(controllers: Iterable[str], file: Path, *options: str) -> Node:
    """Starts controllers with the parameters in a file, once their controller manager runs."""
    return other_node('controller_manager', 'spawner', arguments=[*controllers, '--param-file', str(file), *options])


GAZEBO_PACKAGES = ('ros_gz_bridge', 'ros_gz_sim')
"""ROS packages that only Gazebo needs. `lucca` does not depend on them: a robot needs none."""
GAZEBO_CONTROL = 'gz_ros2_control'
GAZEBO_CONTROL_PACKAGES = (
    GAZEBO_CONTROL,
    'controller_manager',
    'joint_state_broadcaster',
    'joint_trajectory_controller',
    'gripper_controllers',
    'robot_state_publisher',
)
"""What it needs further for ros2_control's controllers."""


def require_gazebo(*further: str) -> None:
    """Checks that Gazebo, its bridge, our plugin for it and `further` ROS packages are installed.

    Raises:
        StackError: a part is missing; the message says what to install.
    """
    missing = []
    for package in (*GAZEBO_PACKAGES, *further):
        try:
            get_package_prefix(package)
        except PackageNotFoundError:
            missing.append(f'ros-jazzy-{package.replace("_", "-")}')
    if missing:
        raise StackError(f'gazebo:=true needs packages that are missing: sudo apt install {" ".join(missing)}')
    try:
        get_package_prefix('lucca_gazebo')
    except PackageNotFoundError as error:
        raise StackError(
            'gazebo:=true needs the plugin lucca_gazebo, which starts the arms at home and lets hands hold objects: '
            'colcon build --base-paths src/lucca/lucca_gazebo && source install/setup.bash'
        ) from error


def gazebo_plugin_path() -> str:
    """Where Gazebo finds its systems: as it is set, and gz_ros2_control's folder, which its package does not add."""
    given = os.environ.get('GZ_SIM_SYSTEM_PLUGIN_PATH', '')
    return os.pathsep.join(filter(None, (given, f'{get_package_prefix(GAZEBO_CONTROL)}/lib')))


def local_discovery() -> list[Action]:
    """Sets the environment that `lucca up` sets.

    DDS stays on this machine, with a profile that speeds up discovery, unless the user's environment says otherwise.
    """
    return [OpaqueFunction(function=lambda context: apply_defaults(os.environ))]


def lucca_node(
    name: str, *, sim_time: bool | ParameterValue, extra: Mapping[str, object] | None = None
) -> LifecycleNode:
    """One node as a process.

    It configures and activates itself (parameter `autostart`), also after a restart. To leave that to a lifecycle
    manager, set `autostart: false` in the parameter file.
    """
    return LifecycleNode(
        package='lucca',
        executable=name,
        name=name,
        namespace=LaunchConfiguration('namespace'),
        output='screen',
        parameters=[
            # The defaults for this kind of robot come first. A user's file that does not mention one of them, such as
            # the check of controllers, must not turn it off.
            LaunchConfiguration('base_params_file'),
            LaunchConfiguration('params_file'),
            {'use_sim_time': sim_time},
            # Launch would read a text as YAML: a folder called 7 would be a number.
            {
                key: ParameterValue(value, value_type=str) if isinstance(value, str) else value
                for key, value in (extra or {}).items()
            },
        ],
        remappings=[('/clock', LaunchConfiguration('clock')), *LOCAL_TF],
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=0.5,
    )


def node_setup(name: str, context: LaunchContext, parameters: Mapping[str, object]) -> NodeSetup:
    """A node with the parameter files of the launch."""
    files = [LaunchConfiguration(each).perform(context) for each in ('base_params_file', 'params_file')]
    return NodeSetup(name=name, params_files=tuple(map(Path, dict.fromkeys(files))), parameters=parameters)


def _stack_setups(context: LaunchContext) -> list[NodeSetup]:
    """The nodes of the stack and the speech node, with the launch arguments that concern them."""
    names = ('llm', 'worker_llm', 'data_dir', 'state_dir', 'robot')
    given = {name: LaunchConfiguration(name).perform(context) for name in names}
    of_node: dict[str, dict[str, object]] = {name: {} for name in STACK_NODES}
    for name in WITH_ROBOT:
        of_node[name]['robot'] = given['robot']
    of_node['coordinator']['llm'] = given['llm']
    of_node['worker']['llm'] = given['worker_llm'] or given['llm']
    for name, folder in (('worker', 'data_dir'), ('action', 'state_dir')):
        of_node[name][folder] = str(Path(given[folder]).expanduser()) if given[folder] else ''
    of_node['action']['dry_run'] = is_true('dry_run', context) or ''
    if is_true('speech', context):
        of_node[SPEECH] = {}
    return [
        node_setup(name, context, {key: value for key, value in values.items() if value != ''})
        for name, values in of_node.items()
    ]


def stack_nodes(*, sim_time: bool | ParameterValue) -> OpaqueFunction:
    """The nodes of the stack and the speech node."""
    return OpaqueFunction(
        function=lambda context: [
            lucca_node(setup.name, sim_time=sim_time, extra=setup.parameters) for setup in _stack_setups(context)
        ]
    )
