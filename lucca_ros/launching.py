"""What the launch files share: the environment of discovery, and the stack's nodes as processes that come back."""

import os
from collections.abc import Sequence
from pathlib import Path

from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import EnvironmentVariable, LaunchConfiguration
from launch_ros.actions import LifecycleNode
from launch_ros.parameter_descriptions import ParameterValue

from launch import Action, LaunchContext
from lucca_core.paths import config_dir

STACK = ('perception', 'action', 'worker', 'coordinator')
SPEECH = 'speech'


def arguments(params_file: str) -> list[Action]:
    """The launch arguments that every launch file of lucca takes."""
    return [
        DeclareLaunchArgument('params_file', default_value=str(config_dir() / 'nodes' / params_file)),
        DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes and topics.'),
        DeclareLaunchArgument('llm', default_value='', description="Coordinator's model spec; empty: its default."),
        DeclareLaunchArgument('worker_llm', default_value='', description="Worker's model spec; empty: its default."),
        DeclareLaunchArgument('data_dir', default_value='', description='Folder of the memory; empty: its default.'),
        DeclareLaunchArgument('speech', default_value='true', description='Start the node that hears and speaks.'),
        DeclareLaunchArgument('respawn', default_value='true', description='Start a node again when it ends.'),
    ]


def local_discovery() -> list[Action]:
    """Keeps DDS on this machine unless the environment asks for more, with a profile that makes discovery quick."""
    reach = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    actions: list[Action] = [SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', reach)]
    if reach in ('LOCALHOST', 'OFF'):
        profile = str(config_dir() / 'dds' / 'fastdds_localhost.xml')
        chosen = EnvironmentVariable('FASTRTPS_DEFAULT_PROFILES_FILE', default_value=profile)
        actions.append(SetEnvironmentVariable('FASTRTPS_DEFAULT_PROFILES_FILE', chosen))
    return actions


def lucca_node(name: str, *, sim_time: bool | ParameterValue, extra: dict[str, object] | None = None) -> LifecycleNode:
    """One node as a process. It configures and activates itself (parameter `autostart`), so that it also does so after
    it was started again; set `autostart: false` in the parameter file to leave that to a lifecycle manager."""
    return LifecycleNode(
        package='lucca',
        executable=name,
        name=name,
        namespace=LaunchConfiguration('namespace'),
        output='screen',
        parameters=[LaunchConfiguration('params_file'), {'use_sim_time': sim_time}, extra or {}],
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=0.5,
    )


def stack_nodes(*, sim_time: bool | ParameterValue, names: Sequence[str] = STACK) -> OpaqueFunction:
    """The nodes of the stack and the one for speech, with the arguments `llm`, `worker_llm` and `data_dir` where they are given."""

    def make(context: LaunchContext) -> list[LifecycleNode]:
        given = {name: LaunchConfiguration(name).perform(context) for name in ('llm', 'worker_llm', 'data_dir')}
        extra: dict[str, dict[str, object]] = {name: {} for name in names}
        if given['llm']:
            extra['coordinator']['llm'] = ParameterValue(given['llm'], value_type=str)
        if given['worker_llm'] or given['llm']:
            extra['worker']['llm'] = ParameterValue(given['worker_llm'] or given['llm'], value_type=str)
        if given['data_dir']:
            extra['worker']['data_dir'] = str(Path(given['data_dir']).expanduser())
        nodes = [lucca_node(name, sim_time=sim_time, extra=extra[name]) for name in names]
        if LaunchConfiguration('speech').perform(context).lower() == 'true':
            nodes.append(lucca_node(SPEECH, sim_time=sim_time))
        return nodes

    return OpaqueFunction(function=make)
