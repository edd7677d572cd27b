"""Stand-ins for the programs of other packages that our launch files start: as much of each as our nodes need of it.

What they leave out: motion, frames, images, and the services of controller_manager_msgs. They stand in for programs of
ROS 2 Jazzy and Gazebo, which no registry package carries, and show nothing about those.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import JointState
from std_msgs.msg import String

PROGRAMS = {
    'controller_manager': ('ros2_control_node', 'spawner'),
    'diagnostic_aggregator': ('aggregator_node',),
    'robot_state_publisher': ('robot_state_publisher',),
    'ros_gz_bridge': ('parameter_bridge',),
    'tf2_ros': ('static_transform_publisher',),
}
"""Programs by package."""
NO_PROGRAMS = (
    'gripper_controllers',
    'gz_ros2_control',
    'joint_state_broadcaster',
    'joint_trajectory_controller',
    'lucca_gazebo',
    'ros_gz_sim',
)
"""Packages that a launch file looks for only."""
ENDS = {signal.SIGINT, signal.SIGTERM}
NOTED = ('GZ_PARTITION', 'GZ_SIM_SYSTEM_PLUGIN_PATH')
BROADCASTER = 'joint_state_broadcaster'
PLUGIN = 'gz_ros2_control::GazeboSimROS2ControlPlugin'
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PATIENCE_S = 60.0


def install(prefix: Path) -> Path:
    """Makes an ament prefix with all of them, and `gz` in its folder bin."""
    for package in (*PROGRAMS, *NO_PROGRAMS):
        marker = prefix / 'share/ament_index/resource_index/packages' / package
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()
        (prefix / 'share' / package).mkdir()
    for package, names in PROGRAMS.items():
        for name in names:
            _write_program(prefix / 'lib' / package / name, prefix)
    _write_program(prefix / 'bin' / 'gz', prefix)
    (prefix / 'notes').mkdir()
    return prefix


def _write_program(file: Path, prefix: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        f'#!{sys.executable}',
        'import sys',
        f'sys.path.insert(0, {str(Path(__file__).parent)!r})',
        f'import {Path(__file__).stem} as programs',
        f'sys.exit(programs.run({file.name!r}, {str(prefix)!r}))',
    )
    file.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    file.chmod(0o755)


def notes(prefix: Path) -> dict[str, dict[str, Any]]:
    """What each program that was started was given: `arguments`, without those of ROS, and `environment`."""
    return {file.stem: json.loads(file.read_text(encoding='utf-8')) for file in (prefix / 'notes').glob('*.json')}


def run(name: str, prefix: str) -> int:
    """One program, until SIGINT or SIGTERM; returns its exit code."""
    arguments = remove_ros_args(sys.argv)[1:]
    environment = {variable: os.environ[variable] for variable in NOTED if variable in os.environ}
    noted, written = Path(prefix, 'notes', f'{name}.json'), Path(prefix, 'notes', f'{name}.part')
    written.write_text(json.dumps({'arguments': arguments, 'environment': environment}), encoding='utf-8')
    written.rename(noted)
    return DOING.get(name, _wait)(arguments)


def _wait(arguments: list[str]) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    signal.sigwait(ENDS)
    return 0


@contextlib.contextmanager
def _ros(arguments: list[str] | None = None) -> Iterator[SingleThreadedExecutor]:
    """A graph until SIGINT or SIGTERM."""
    rclpy.init(args=sys.argv if arguments is None else arguments)
    executor = SingleThreadedExecutor()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        yield executor
    rclpy.try_shutdown()


def _publish_description(arguments: list[str]) -> int:
    """robot_state_publisher: its parameter `robot_description`, latched on the topic of that name; no frames."""
    with _ros() as executor:
        node = Node('robot_state_publisher')
        text = str(node.declare_parameter('robot_description', Parameter.Type.STRING).value)
        publisher = node.create_publisher(String, 'robot_description', LATCHED)
        publisher.publish(String(data=text))
        executor.add_node(node)
        executor.spin()
    return 0


class _ControllerManager(Node):  # type: ignore[misc]
    """Loads a controller when its parameter `NAME.params_file` is set, as a spawner does before it asks to load it.

    Controllers are nodes with the parameters of that file. The broadcaster publishes the joints where the description
    says that they start.
    """

    def __init__(self, executor: SingleThreadedExecutor) -> None:
        super().__init__(
            'controller_manager',
            allow_undeclared_parameters=True,
            automatically_declare_parameters_from_overrides=True,
        )
        self._controllers: dict[str, Node] = {}
        self._start: Mapping[str, float] | None = None
        self._executor = executor
        self.create_subscription(String, 'robot_description', self._described, LATCHED)
        self.add_on_set_parameters_callback(self._set)

    def _described(self, msg: String) -> None:
        self._start = _start_of(msg.data)

    def _set(self, parameters: list[Parameter]) -> SetParametersResult:
        if self._start is None:
            return SetParametersResult(successful=False, reason='no robot_description has come')
        for parameter in parameters:
            name, _, what = parameter.name.partition('.')
            if what == 'params_file' and name not in self._controllers:
                self._load(name, parameter.value)
        return SetParametersResult(successful=True)

    def _load(self, name: str, file: str) -> None:
        self._controllers[name] = Node(
            name,
            namespace=self.get_namespace(),
            use_global_arguments=False,
            cli_args=['--ros-args', '--params-file', file],
            automatically_declare_parameters_from_overrides=True,
        )
        self._executor.add_node(self._controllers[name])
        if name == BROADCASTER:
            publisher = self._controllers[name].create_publisher(JointState, 'joint_states', 10)
            self._controllers[name].create_timer(0.05, lambda: publisher.publish(self._joints()))

    def _joints(self) -> JointState:
        assert self._start is not None
        joints = JointState(name=list(self._start), position=list(self._start.values()))
        joints.header.stamp = self.get_clock().now().to_msg()
        return joints


def _start_of(urdf: str) -> dict[str, float]:
    """The position at the start of each joint in <ros2_control>."""
    found = {}
    for joint in ET.fromstring(urdf).iterfind('ros2_control/joint'):  # noqa: S314 - of our own launch
        text = joint.findtext("state_interface[@name='position']/param[@name='initial_value']")
        found[joint.get('name', '')] = float(text or 0.0)
    return found


def _manage(arguments: list[str] | None = None) -> int:
    with _ros(arguments) as executor:
        executor.add_node(_ControllerManager(executor))
        executor.spin()
    return 0


def _spawn(arguments: list[str]) -> int:
    """spawner: has its controllers loaded, one after the other, once the manager is there; then it is done."""
    parser = argparse.ArgumentParser()
    parser.add_argument('names', nargs='+')
    parser.add_argument('--param-file', required=True)
    parser.add_argument('--switch-timeout')
    parser.add_argument('--service-call-timeout')
    given = parser.parse_args(arguments)
    with _ros() as executor:
        node = Node('spawner')
        executor.add_node(node)
        client = node.create_client(SetParameters, 'controller_manager/set_parameters')
        if not client.wait_for_service(PATIENCE_S):
            return 1
        for name in given.names:
            file = Parameter(f'{name}.params_file', value=given.param_file).to_parameter_msg()
            while not _accepted(client, file, executor):
                executor.spin_once(timeout_sec=0.1)
        return 0
    return 1


def _accepted(client: Any, parameter: Any, executor: SingleThreadedExecutor) -> bool:
    future = client.call_async(SetParameters.Request(parameters=[parameter]))
    executor.spin_until_future_complete(future)
    return bool(future.result().results[0].successful)


def _simulate(arguments: list[str]) -> int:
    """gz sim WORLD: the controller manager that gz_ros2_control's plugin starts in a world that has it; no physics."""
    world = ET.parse(arguments[-1])  # noqa: S314 - of our own launch
    plugin = world.find(f".//plugin[@name='{PLUGIN}']")
    if plugin is None:
        return _wait(arguments)
    rules = [each.text or '' for each in plugin.iterfind('ros/remapping')]
    remapped = [word for rule in (f'__ns:={plugin.findtext("ros/namespace")}', *rules) for word in ('-r', rule)]
    return _manage(['gz', '--ros-args', '--params-file', plugin.findtext('parameters') or '', *remapped])


DOING: Mapping[str, Callable[[list[str]], int]] = {
    'gz': _simulate,
    'robot_state_publisher': _publish_description,
    'ros2_control_node': lambda arguments: _manage(),
    'spawner': _spawn,
}
"""The others wait until they are told to end."""
