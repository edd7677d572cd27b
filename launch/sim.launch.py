"""The whole stack on the built-in MuJoCo table: `ros2 launch lucca sim.launch.py scene:=sorting_tower seed:=3`."""

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode

from launch import LaunchContext, LaunchDescription
from lucca_cli.setup_checks import check_setups
from lucca_core.nodes import NodeSetup
from lucca_ros.launching import (
    arguments,
    checked,
    chosen,
    described,
    local_discovery,
    lucca_node,
    node_setup,
    one_stack,
    stack_nodes,
    whole_number,
)
from lucca_sim.config import ENGINES


def generate_launch_description() -> LaunchDescription:
    """The simulator and the stack; the other nodes run on simulated time."""
    return described(
        [
            *arguments('sim.yaml'),
            DeclareLaunchArgument(
                'scene', default_value='', description='A name in config/scenes; empty: params_file.'
            ),
            DeclareLaunchArgument(
                'seed', default_value='', description='Seed of where things stand; empty: params_file.'
            ),
            DeclareLaunchArgument('engine', default_value='', description='physics or kinematic; empty: its default.'),
            *local_discovery(),
            checked(check_setups, _setup),
            *one_stack('simulator'),
            OpaqueFunction(function=_simulator),
            stack_nodes(sim_time=True),
        ]
    )


def _setup(context: LaunchContext) -> NodeSetup:
    given = {name: LaunchConfiguration(name).perform(context) for name in ('scene', 'seed', 'engine', 'robot')}
    if given['engine']:
        chosen('engine', ENGINES, context)
    extra: dict[str, object] = {name: value for name, value in given.items() if value}
    if 'seed' in extra:
        extra['seed'] = whole_number('seed', context)
    return node_setup('simulator', context, extra)


def _simulator(context: LaunchContext) -> list[LifecycleNode]:
    return [lucca_node('simulator', sim_time=False, extra=_setup(context).parameters)]
