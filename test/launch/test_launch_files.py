"""Each launch file starts its nodes for real, and one SIGINT to the launch process ends all with exit code 0."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
STACK = {'perception', 'action', 'worker', 'coordinator', 'speech'}
STARTED = re.compile(r'\[(?P<name>\w+)-\d+\]: process started with pid \[(?P<pid>\d+)\]')
ENDED = re.compile(r'\[(?P<name>\w+)-\d+\]: process has finished cleanly')

# A process of its own, because a LaunchService wants the main thread and its signals; started elsewhere, because the
# folder launch/ of the repository would be found as a package.
SERVICE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
file, *given = sys.argv[1:]
service = LaunchService(noninteractive=True)
source = PythonLaunchDescriptionSource(file)
service.include_launch_description(
    IncludeLaunchDescription(source, launch_arguments=[tuple(item.split(':=', 1)) for item in given])
)
sys.exit(service.run())
"""

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
needs_launch = pytest.mark.skipif(
    importlib.util.find_spec('launch_ros') is None,
    reason='the ROS 2 launch packages are not installed: no launched node is started, ended or killed',
)


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_launch_file_compiles_and_describes_itself(file):
    code = compile(file.read_text(encoding='utf-8'), str(file), 'exec')
    assert 'generate_launch_description' in code.co_names
    assert code.co_consts[0]
    assert f'ros2 launch lucca {file.name}' in code.co_consts[0]


class Launched:
    """One launch file in a process, with what it wrote so far."""

    def __init__(self, file_name, arguments, folder):
        self._log = folder / f'launch-{len(list(folder.glob("launch-*.log")))}.log'
        prefixes = [sys.prefix, *os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)]
        environment = os.environ | {
            'AMENT_PREFIX_PATH': os.pathsep.join(filter(None, prefixes)),
            'PYTHONUNBUFFERED': '1',
        }
        with self._log.open('wb') as log:
            self._process = subprocess.Popen(
                [sys.executable, '-c', SERVICE, str(ROOT / 'launch' / file_name), *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self):
        return self._process.pid

    @property
    def log(self):
        return self._log.read_text(errors='replace')

    def started(self):
        """Pids of every process that was started, by node."""
        found = {}
        for match in STARTED.finditer(self.log):
            found.setdefault(match['name'], []).append(int(match['pid']))
        return found

    def ended_cleanly(self):
        return {match['name'] for match in ENDED.finditer(self.log)}

    def nodes(self):
        """Pids of its nodes that run now."""
        return [pid for pids in self.started().values() for pid in pids if Path(f'/proc/{pid}/cmdline').exists()]

    def end(self, number):
        """A signal to the launch process alone."""
        self._process.send_signal(number)
        return self._process.wait(timeout=40)

    def code(self):
        """Its exit code, once it has ended by itself."""
        return self._process.wait(timeout=60)

    def running(self):
        assert self._process.poll() is None, self.log

    def interrupt(self):
        """SIGINT to the launch process alone; returns its exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(timeout=40)

    def anything_left(self):
        try:
            os.killpg(self._process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self):
        if self.anything_left():
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=10)


@pytest.fixture
def start(tmp_path):
    launched = []

    def start(file_name, *arguments):
        launched.append(Launched(file_name, [f'data_dir:={tmp_path / "data"}', *arguments], tmp_path))
        return launched[-1]

    yield start
    for item in launched:
        item.kill()


@pytest.fixture
def graph():
    """A node that looks at the others."""
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node

    context = Context()
    rclpy.init(context=context)
    node = Node('onlooker', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    yield node, executor
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()


def until(condition, launched, executor, what, timeout_s=90.0):
    """Spins until a condition holds, while the launch process lives."""
    end_s = time.monotonic() + timeout_s
    while not (value := condition()):
        launched.running()
        assert time.monotonic() < end_s, f'{what}: not within {timeout_s:g} s\n{launched.log}'
        executor.spin_once(timeout_sec=0.1)
    return value


def state_of(name, graph, launched):
    from lifecycle_msgs.srv import GetState

    node, executor = graph
    client = node.create_client(GetState, f'{name}/get_state')
    until(client.service_is_ready, launched, executor, f'{name} is there')
    future = client.call_async(GetState.Request())
    end_s = time.monotonic() + 2.0
    while not future.done() and time.monotonic() < end_s:
        executor.spin_once(timeout_sec=0.1)
    # An answer that never comes is one of a process that was killed in the meantime.
    state = future.result().current_state.label if future.done() else ''
    node.destroy_client(client)
    return state


def wait_active(names, graph, launched, namespace=''):
    for name in sorted(names):
        until(
            lambda name=name: state_of(f'{namespace}/{name}', graph, launched) == 'active',
            launched,
            graph[1],
            f'{name} is active',
        )


def finish(launched, names):
    assert launched.interrupt() == 0, launched.log
    assert launched.ended_cleanly() == set(names), launched.log
    # What a node had started itself may be gone a moment after it.
    end_s = time.monotonic() + 10.0
    while launched.anything_left():
        assert time.monotonic() < end_s, launched.log
        os.sched_yield()


@launch
@ros
@needs_launch
def test_the_simulation_starts_in_a_namespace_and_a_node_that_is_killed_comes_back(start, graph, tmp_path):
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

    os.kill(launched.started()['worker'][0], signal.SIGKILL)
    until(lambda: len(launched.started()['worker']) == 2, launched, executor, 'the worker is started again')
    wait_active({'worker'}, graph, launched, '/table')
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
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP], ids=lambda number: number.name)
def test_no_node_outlives_its_launch_however_that_ends(start, graph, number):
    launched = start('sim.launch.py', 'engine:=kinematic', 'scene:=pointing', f'namespace:=ended_{number.name}')
    wait_active({'action', 'worker'}, graph, launched, f'/ended_{number.name}')
    nodes = launched.nodes()
    assert len(nodes) == len({*STACK, 'simulator'})
    launched.end(number)
    end_s = time.monotonic() + 40.0
    while left := [pid for pid in nodes if os.path.exists(f'/proc/{pid}/fd/0')]:
        assert time.monotonic() < end_s, f'{left} are left\n{launched.log}'
        graph[1].spin_once(timeout_sec=0.1)


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
def test_a_launch_that_fails_in_the_middle_leaves_no_node(start, graph, tmp_path):
    file = tmp_path / 'failing.launch.py'
    file.write_text(FAILING.format(file=str(ROOT / 'launch' / 'sim.launch.py')))
    launched = start(file, 'engine:=kinematic', 'namespace:=failing')
    assert launched.code() == 1, launched.log
    assert set(launched.started()) == {*STACK, 'simulator'}
    end_s = time.monotonic() + 40.0
    while left := launched.nodes():
        assert time.monotonic() < end_s, f'{left} are left\n{launched.log}'
        graph[1].spin_once(timeout_sec=0.1)
