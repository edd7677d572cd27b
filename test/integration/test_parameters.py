"""Each parameter of each node is live, and acts from when it is set, or says that it is read-only."""

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from lucca_interfaces.msg import Utterance
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import Image, JointState

from action_node.config import ActionConfig
from action_node.motion.config import MotionConfig
from action_node.motion.motion_plan import MotionRequest
from action_node.node import ActionNode
from coordinator_node.config import CoordinatorConfig
from coordinator_node.goals.goals import Goal
from coordinator_node.node import CoordinatorNode
from lucca_core.errors import PerceptionError
from lucca_core.protocol.snapshots import Pose, Snapshot, TableObject
from lucca_core.settings import bounds_of, is_live
from lucca_memory.people.config import PeopleConfig
from lucca_ros.conversions.stamps import time_to_msg
from lucca_sim.config import SimConfig
from lucca_sim.node import SimulatorNode
from lucca_sim.relay.config import RelayConfig
from lucca_sim.relay.node import RelayNode
from perception_node.config import PerceptionConfig
from perception_node.node import PerceptionNode
from speech_node.config import SpeechConfig
from speech_node.interfaces import UtteranceAudio
from speech_node.node import SpeechNode
from worker_node.config import WorkerConfig
from worker_node.network.config import NetworkConfig
from worker_node.node import WorkerNode
from worker_node.people.config import DeskConfig

pytestmark = pytest.mark.ros

NODES: dict[type[LifecycleNode], tuple[type, ...]] = {
    ActionNode: (ActionConfig, MotionConfig),
    PerceptionNode: (PerceptionConfig,),
    WorkerNode: (WorkerConfig, DeskConfig, PeopleConfig, NetworkConfig),
    CoordinatorNode: (CoordinatorConfig,),
    SpeechNode: (SpeechConfig,),
    SimulatorNode: (SimConfig,),
    RelayNode: (RelayConfig,),
}
OF_RCLPY = {'use_sim_time', 'start_type_description_service'}
DEADLINE_S = 60.0
MakeNode = Callable[..., Any]


@pytest.fixture
def make_node() -> Iterator[MakeNode]:
    context, nodes = Context(), []
    rclpy.init(context=context)

    def make(kind: Any, *parts: Any, **parameters: Any) -> Any:
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        nodes.append(kind(*parts, context=context, parameter_overrides=overrides))
        return nodes[-1]

    yield make
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown(context=context)


def set_parameter(node: Any, name: str, value: Any) -> Any:
    (result,) = node.set_parameters([Parameter(name, value=value)])
    return result


def another(item: Any) -> Any:
    """A value of a setting that is allowed and is not its default."""
    default = item.default
    if isinstance(default, bool):
        return not default
    if isinstance(default, int | float):
        bounds = bounds_of(item)
        assert bounds is not None
        value = (default + bounds.most) / 2
        return int(value) if isinstance(default, int) else min(value, 2 * default or value)
    return [*default, default[-1]] if isinstance(default, tuple) else f'{default}x'


@pytest.mark.parametrize('kind', NODES, ids=[kind.__name__ for kind in NODES])
def test_each_parameter_is_set_and_read_back_or_says_that_it_is_read_only(
    make_node: MakeNode, kind: type[LifecycleNode]
) -> None:
    node = make_node(kind)
    ours = {item.name: item for config_class in NODES[kind] for item in fields(config_class)}
    assert set(node.get_parameters_by_prefix('')) == {*ours, *OF_RCLPY}
    for name, item in ours.items():
        before, value = node.get_parameter(name).value, another(item)
        assert value != before, name
        result = set_parameter(node, name, value)
        descriptor = node.describe_parameter(name)
        assert result.successful == is_live(item) == (not descriptor.read_only), (name, result.reason)
        if is_live(item):
            assert node.get_parameter(name).value == value
        else:
            assert node.get_parameter(name).value == before, name
            assert 'read-only' in result.reason
            assert 'is read only when the node starts' in descriptor.additional_constraints
    for name in OF_RCLPY:
        assert not set_parameter(node, name, not node.get_parameter(name).value).successful


@pytest.mark.parametrize('kind', NODES, ids=[kind.__name__ for kind in NODES])
def test_no_parameter_takes_a_value_out_of_range(make_node: MakeNode, kind: type[LifecycleNode]) -> None:
    node = make_node(kind)
    for config_class in NODES[kind]:
        for item in fields(config_class):
            bounds = bounds_of(item)
            if bounds is None or isinstance(item.default, tuple):
                continue
            wrong: list[float] = [bounds.least - 1, bounds.most + 1]
            if isinstance(item.default, float):
                wrong += [math.nan, math.inf, -math.inf]
            for value in wrong:
                result = set_parameter(node, item.name, type(item.default)(value))
                assert not result.successful, (item.name, value)
                assert result.reason
                assert node.get_parameter(item.name).value == item.default


def test_the_speed_of_the_next_motion_is_the_one_that_was_set(make_node: MakeNode, tmp_path: Path) -> None:
    node = make_node(ActionNode, state_dir=str(tmp_path))
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    pear = TableObject(object_id='1', name='pear', label='pear', pose_world=Pose((0.45, 0.3, 0.84)), size_m=(0.06,) * 3)
    home = dict(node._planner.profile.home)

    def durations_s() -> dict[str, float]:
        plan = node._planner.plan(MotionRequest(kind='point', object_id='1'), Snapshot(objects=(pear,)), home)
        return {segment.name: segment.duration_s for segment in plan.segments}

    def duration_s() -> float:
        return sum(durations_s().values())

    before_s = duration_s()
    assert set_parameter(node, 'tool_speed_mps', 0.05).successful
    slow_s = duration_s()
    assert slow_s > 2 * before_s
    assert set_parameter(node, 'arm_speed_radps', 0.02).successful
    assert duration_s() > 2 * slow_s
    assert not set_parameter(node, 'tool_speed_mps', -1.0).successful
    before = durations_s()
    assert set_parameter(node, 'hand_speed_radps', 0.02).successful
    after = durations_s()
    assert {name for name in after if after[name] > before[name]} == {'stretch finger', 'open'}
    # At a fiftieth of the speed; the margin is for the parts of a segment whose length no speed limits.
    assert after['stretch finger'] > 10 * before['stretch finger']
    assert node._planner.config == MotionConfig(tool_speed_mps=0.05, arm_speed_radps=0.02, hand_speed_radps=0.02)


def test_the_ages_that_perception_takes_are_those_that_were_set(make_node: MakeNode) -> None:
    node = make_node(PerceptionNode)
    joints = JointState(name=['a'], position=[0.0])
    joints.header.stamp = time_to_msg(100.0)
    node._on_joints(joints)
    assert node._joints_at(100.4)[0] == {'a': 0.0}
    assert set_parameter(node, 'joint_state_max_age_s', 0.1).successful
    assert node._joint_merge.oldest_s == 0.1
    with pytest.raises(PerceptionError, match=r'more than 0\.1 s'):
        node._joints_at(100.4)
    colour, depth = Image(), Image()
    colour.header.stamp, depth.header.stamp = time_to_msg(100.0), time_to_msg(100.1)
    node._on_image('colour', colour)
    node._on_image('depth', depth)
    assert node._unpaired
    assert set_parameter(node, 'image_pair_slack_s', 0.5).successful
    node._on_image('depth', depth)
    assert not node._unpaired
    assert set_parameter(node, 'no_image_after_s', 7.0).successful
    assert node._config == replace(
        PerceptionConfig(), joint_state_max_age_s=0.1, image_pair_slack_s=0.5, no_image_after_s=7.0
    )


def test_a_missing_image_is_told_after_the_time_that_was_set(
    make_node: MakeNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, told = make_node(PerceptionNode), list[DiagnosticStatus]()
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    monkeypatch.setattr(node._diagnostics, 'publish', lambda msg: told.extend(msg.status))
    node._last_image_s -= 100.0
    for limit_s in (1000.0, 50.0):
        assert set_parameter(node, 'no_image_after_s', limit_s).successful
        node._on_timer()
    late = [status.level == DiagnosticStatus.ERROR and 'no camera image for 10' in status.message for status in told]
    assert late == [False, True]


def test_the_service_sets_a_live_parameter_and_refuses_a_read_only_one(make_node: MakeNode) -> None:
    node = make_node(PerceptionNode)
    peer = Node('peer', context=node.context)
    executor = SingleThreadedExecutor(context=node.context)
    for item in (node, peer):
        executor.add_node(item)
    client = peer.create_client(SetParameters, f'{node.get_fully_qualified_name()}/set_parameters')
    asked = [Parameter('joint_state_max_age_s', value=0.1), Parameter('detector', value='another')]
    try:
        assert client.wait_for_service(DEADLINE_S)
        future = client.call_async(SetParameters.Request(parameters=[item.to_parameter_msg() for item in asked]))
        executor.spin_until_future_complete(future, timeout_sec=DEADLINE_S)
        live, read_only = future.result().results
    finally:
        executor.shutdown()
        peer.destroy_node()
    assert live.successful, live.reason
    assert node._joint_merge.oldest_s == 0.1
    assert not read_only.successful
    assert 'read-only' in read_only.reason
    assert node.get_parameter('detector').value == PerceptionConfig().detector


def test_what_is_said_is_kept_in_the_folder_that_was_set(make_node: MakeNode, tmp_path: Path) -> None:
    node = make_node(SpeechNode, source='none', player='none', speaker='none')
    said = UtteranceAudio(np.zeros(1600, dtype=np.float32), 0.0, 0.1)
    node._config = SpeechConfig()
    node._keep(said)
    assert set_parameter(node, 'keep_audio_dir', str(tmp_path / 'kept')).successful
    node._keep(said)
    assert len(list((tmp_path / 'kept').glob('*.wav'))) == 1


def test_what_is_heard_has_the_priority_that_was_set(make_node: MakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    node, goals = make_node(CoordinatorNode), list[Goal]()
    monkeypatch.setattr(node, '_start', lambda goal, giver: goals.append(goal))
    assert set_parameter(node, 'speech_priority', 7).successful
    node._on_heard(Utterance(text='sort the table'))
    assert [goal.priority for goal in goals] == [7]


def test_the_simulation_runs_at_the_speed_that_was_set(make_node: MakeNode) -> None:
    node = make_node(SimulatorNode, engine='kinematic', scene='pointing', camera_enabled=False)
    assert set_parameter(node, 'speed', 3.0).successful
    for transition in (node.trigger_configure, node.trigger_activate):
        assert transition() == TransitionCallbackReturn.SUCCESS
    while node._pace is None:
        node._stopping.wait(0.01)
        assert node._thread.is_alive()
    assert node._pace.speed == 3.0
    assert set_parameter(node, 'speed', 50.0).successful
    assert node._pace.speed == 50.0
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
