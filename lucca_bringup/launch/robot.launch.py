# Copyright 2026 The lucca authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""
A robot with everything around it: description, ros2_control, diagnostics, RViz, and the stack.

ros2 launch lucca_bringup robot.launch.py robot:=nicol hardware:=mock
"""

import tempfile
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from launch import Action, LaunchContext, LaunchDescription
from lucca_core.errors import StackError
from lucca_robot.assembly import WORLD
from lucca_robot.profile import load_profile
from lucca_robot.ros2_control import (
    BROADCASTER,
    controllers_yaml,
    read_description,
    require_hardware,
    with_mock_hardware,
)
from lucca_ros.launching import LOCAL_TF, chosen, described, is_true, other_node, spawner, state_publisher

PUBLISHED = 'robot_description'
"""Value of `description` if the drivers publish the description."""
MOCK, DESCRIBED, STARTED = 'mock', 'description', 'started'
LOCAL_DIAGNOSTICS = [(f'/{name}', name) for name in ('diagnostics', 'diagnostics_agg', 'diagnostics_toplevel_state')]


def generate_launch_description() -> LaunchDescription:
    """Describe the robot, and unless `stack:=false` the nodes of nicol.launch.py, whose arguments it also takes."""
    share = Path(get_package_share_directory('lucca'))
    stack = PythonLaunchDescriptionSource(str(share / 'launch' / 'nicol.launch.py'))
    prepared: list[Action] = []
    return described(
        [
            DeclareLaunchArgument(
                'robot', default_value='nicol', description='Robot profile, a name in config/robots or a file.'
            ),
            DeclareLaunchArgument(
                'description',
                default_value='',
                description='URDF or xacro file; robot_description: drivers publish it; empty: of the profile.',
            ),
            DeclareLaunchArgument(
                'hardware',
                default_value=STARTED,
                description='started: drivers and controllers run already; description: ros2_control with the driver '
                'that the description names; mock: ros2_control without a robot.',
            ),
            DeclareLaunchArgument('namespace', default_value='', description='Namespace of all nodes and topics.'),
            DeclareLaunchArgument('stack', default_value='true', description='Start the nodes of lucca, too.'),
            DeclareLaunchArgument('rviz', default_value='false', description='Start RViz with the robot and objects.'),
            DeclareLaunchArgument(
                'aggregator', default_value='true', description='Start the aggregator of diagnostics.'
            ),
            # Whatever is wrong, in these arguments or those of the stack, is told before the first process starts.
            OpaqueFunction(function=lambda context: prepared.extend([*_robot(context), *_displays(context)])),
            IncludeLaunchDescription(stack, condition=IfCondition(LaunchConfiguration('stack'))),
            OpaqueFunction(function=lambda context: prepared),
        ]
    )


def _robot(context: LaunchContext) -> list[Action]:
    hardware = chosen('hardware', (STARTED, DESCRIBED, MOCK), context)
    given = LaunchConfiguration('description').perform(context)
    if given == PUBLISHED and hardware == STARTED:
        return []
    if given == PUBLISHED and hardware == DESCRIBED:
        raise StackError(
            'hardware:=description starts the driver that a file names, and description:=robot_description names none; '
            'give the file, or hardware:=started for drivers that run'
        )
    profile = load_profile(LaunchConfiguration('robot').perform(context))
    # A mock starts no drivers: where they would publish the description, it is written from the profile instead.
    urdf = read_description(profile, Path(given).expanduser() if given not in ('', PUBLISHED) else None)
    if hardware == MOCK:
        urdf = with_mock_hardware(profile, urdf)
    elif hardware == DESCRIBED:
        require_hardware(profile, urdf)
    actions: list[Action] = [state_publisher(urdf)]
    if (root := profile.description.root) != WORLD:
        # Objects are in the frame `world`, which is the description's root under another name.
        frames = ['--frame-id', WORLD, '--child-frame-id', root]
        actions.append(other_node('tf2_ros', 'static_transform_publisher', arguments=frames, remappings=LOCAL_TF))
    if hardware != STARTED:
        file = Path(tempfile.mkdtemp(prefix='lucca-controllers-')) / f'{profile.name}.yaml'
        file.write_text(controllers_yaml(profile), encoding='utf-8')
        actions += [
            other_node('controller_manager', 'ros2_control_node', parameters=[str(file)]),
            spawner([BROADCASTER, *profile.controllers], file),
        ]
    return actions


def _displays(context: LaunchContext) -> list[Action]:
    config = Path(get_package_share_directory('lucca_bringup')) / 'config'
    actions: list[Action] = []
    if is_true('aggregator', context):
        actions.append(
            other_node(
                'diagnostic_aggregator',
                'aggregator_node',
                parameters=[str(config / 'diagnostics.yaml')],
                remappings=LOCAL_DIAGNOSTICS,
            )
        )
    if is_true('rviz', context):
        actions.append(other_node('rviz2', 'rviz2', arguments=['-d', str(config / 'lucca.rviz')], remappings=LOCAL_TF))
    return actions
