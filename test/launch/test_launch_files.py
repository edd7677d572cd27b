"""Each launch file starts its nodes for real, with the names and values that it is given, and only one stack."""

import os

import pytest
from launched import ROOT, STACK, finish, needs_launch, until, wait_active

FILES = sorted((ROOT / 'launch').glob('*.launch.py'))

FAILING = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction, TimerAction
from launch.launch_description_sources import PythonLaunchDescriptionSource


def fail(context):
    raise RuntimeError('in the middle')


def generate_launch_description():
    stack = IncludeLaunchDescription(PythonLaunchDescriptionSource({file!r}))
    return LaunchDescription([stack, TimerAction(period=2.0, actions=[OpaqueFunction(function=fail)])])
"""

launch = pytest.mark.launch
ros = pytest.mark.ros


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_launch_file_compiles_and_describes_itself(file):
    code = compile(file.read_text(encoding='utf-8'), str(file), 'exec')
    assert 'generate_launch_description' in code.co_names
    assert code.co_consts[0]
    assert f'ros2 launch lucca {file.name}' in code.co_consts[0]


@launch
@ros
@needs_launch
def test_the_simulation_starts_in_a_namespace_with_the_scene_that_is_given(start, graph, tmp_path):
    from lucca_interfaces.msg import TableState
    from rclpy.qos import QoSProfile, ReliabilityPolicy

    params = tmp_path / 'nodes.yaml'
    params.write_text('/**/simulator:\n  ros__parameters: {scene: recipe, engine: kinematic}\n')
    launched = start('sim.launch.py', f'params_file:={params}', 'scene:=pointing', 'namespace:=table')
    wait_active({*STACK, 'simulator'}, graph, launched, '/table')
    node, executor = graph
    seen = []
    qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    node.create_subscription(
        TableState, '/table/perception/objects', lambda msg: seen.append({item.label for item in msg.objects}), qos
    )
    # The argument wins over the file: the fruit of pointing, not the jello of the recipe.
    until(lambda: seen and {'lemon', 'orange', 'can'} <= seen[-1], launched, executor, 'the table is seen')
    finish(launched, {*STACK, 'simulator'})


@launch
@ros
@needs_launch
def test_on_the_robot_cameras_and_controllers_have_the_names_that_are_given(start, graph, tmp_path):
    # No controllers run here whose parameters could be compared.
    params = tmp_path / 'nodes.yaml'
    params.write_text('/**/action:\n  ros__parameters: {controllers_wait_s: 0.0}\n')
    launched = start(
        'nicol.launch.py',
        f'params_file:={params}',
        'camera:=/realsense',
        'joint_states:=/robot/joints',
        'left_arm_controller:=/arm',
    )
    wait_active(STACK, graph, launched)
    node, executor = graph

    def topics_of(name):
        # What comes often is heard by a companion.
        pairs = node.get_subscriber_names_and_types_by_node(name, '/')
        pairs += node.get_subscriber_names_and_types_by_node(f'{name}_streams', '/')
        pairs += node.get_publisher_names_and_types_by_node(name, '/')
        return {topic for topic, _ in pairs}

    camera = {'/realsense/color/image_raw', '/realsense/depth/image_raw', '/realsense/color/camera_info'}
    until(lambda: camera <= topics_of('perception'), launched, executor, 'perception looks at the camera named')
    robot = {'/robot/joints', '/arm/joint_trajectory', '/right_arm_controller/joint_trajectory'}
    until(lambda: robot <= topics_of('action'), launched, executor, 'the action node moves the robot named')
    assert not {'/joint_states', '/left_arm_controller/joint_trajectory'} & topics_of('action')
    finish(launched, STACK)


@launch
@ros
@needs_launch
def test_beside_gazebo_our_nodes_start_and_wait_for_its_clock(start, graph):
    launched = start('gazebo.launch.py', 'gazebo:=false')
    wait_active(STACK, graph, launched)
    assert set(launched.started()) == STACK
    finish(launched, STACK)


@launch
@ros
@needs_launch
def test_a_second_launch_of_a_stack_is_refused_before_it_starts_anything(start, graph):
    first = start('sim.launch.py', 'engine:=kinematic', 'scene:=pointing')
    wait_active({*STACK, 'simulator'}, graph, first)
    second = start('sim.launch.py', 'engine:=kinematic', 'scene:=pointing')
    assert second.code() == 1
    assert second.started() == {}
    assert f'domain {os.environ["ROS_DOMAIN_ID"]}, namespace /: process {first.pid} on ' in second.log
    finish(first, {*STACK, 'simulator'})


@launch
@needs_launch
def test_a_stack_is_claimed_with_the_nodes_that_it_starts_where_they_will_be(tmp_path, monkeypatch):
    from launch import LaunchContext
    from lucca_core import claim
    from lucca_core.errors import AlreadyRunningError
    from lucca_ros.launching import _claim_stack

    monkeypatch.setattr(claim, 'FOLDER', tmp_path)
    domain = claim.domain_id()
    context = LaunchContext()
    context.launch_configurations.update(namespace='', speech='false', ros_namespace='/robot_1')
    for kind in ('simulator', 'speech'):
        claim.Claim(kind, domain, '/robot_1')
    claim.Claim('action', domain, '/')
    _claim_stack(context, ())
    assert claim.holder(claim.STACK, domain, '/robot_1')
    assert not claim.holder(claim.STACK, domain, '/')
    context.launch_configurations['ros_namespace'] = '/robot_2'
    claim.Claim('simulator', domain, '/robot_2')
    with pytest.raises(AlreadyRunningError, match='the node simulator'):
        _claim_stack(context, ('simulator',))
    assert not claim.holder(claim.STACK, domain, '/robot_2')


@launch
@ros
@needs_launch
def test_a_launch_that_fails_in_the_middle_leaves_no_node(start, tmp_path):
    file = tmp_path / 'failing.launch.py'
    file.write_text(FAILING.format(file=str(ROOT / 'launch' / 'sim.launch.py')))
    launched = start(file, 'engine:=kinematic', 'namespace:=failing')
    assert launched.code() == 1, launched.log
    assert set(launched.started()) == {*STACK, 'simulator'}
    launched.none_left()
