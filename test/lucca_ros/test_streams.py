"""What comes often is heard beside a node's executor, by the names and on the clock of the node."""

import threading
from collections.abc import Callable, Iterator

import pytest
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from std_srvs.srv import SetBool

from lucca_ros.streams import Streams

pytestmark = pytest.mark.ros

WAIT_S = 10.0


@pytest.fixture
def make_streams(context: Context) -> Iterator[Callable[..., tuple[Node, Streams]]]:
    made: list[tuple[Node, Streams]] = []

    def make(**options: object) -> tuple[Node, Streams]:
        node = Node('owner', context=context, **options)
        made.append((node, Streams(node)))
        return made[-1]

    yield make
    for node, streams in made:
        streams.close()
        streams.close()
        node.destroy_node()


def publish_until(done: Callable[[], bool], publish: Callable[[], None]) -> None:
    pause = threading.Event()
    for _ in range(500):
        publish()
        if done():
            return
        pause.wait(0.02)
    raise AssertionError('not heard in time')


def test_a_stream_is_heard_though_nobody_spins_the_node(context, make_node, make_streams) -> None:
    node, streams = make_streams(namespace='/robot_1', cli_args=['--ros-args', '-r', 'words:=/said'])
    heard = threading.Event()
    subscription = streams.subscribe(String, 'words', lambda msg: heard.set(), 1)
    publisher = make_node('speaker').create_publisher(String, '/said', 1)
    publish_until(heard.is_set, lambda: publisher.publish(String(data='x')))
    streams.unsubscribe(subscription)
    publish_until(lambda: node.count_subscribers('/said') == 0, lambda: None)


def test_the_clock_of_the_node_follows_and_is_heard_once(make_node, make_streams) -> None:
    node, _ = make_streams(parameter_overrides=[Parameter('use_sim_time', value=True)])
    publisher = make_node('time').create_publisher(Clock, '/clock', 1)
    msg = Clock()
    msg.clock.sec = 1234
    publish_until(lambda: node.get_clock().now().nanoseconds == 1234 * 10**9, lambda: publisher.publish(msg))
    assert publisher.get_subscription_count() == 1


def test_without_simulated_time_the_clock_is_the_wall(make_streams) -> None:
    node, _ = make_streams()
    assert node.get_clock().now().nanoseconds > 1.7e18


def test_a_service_answers_and_is_called_though_nobody_spins_either_node(make_streams) -> None:
    node, streams = make_streams(namespace='/robot_1')
    service = streams.serve(SetBool, 'record', lambda request, response: SetBool.Response(success=request.data))
    caller = streams.caller(SetBool, 'record')
    assert caller.call(SetBool.Request(data=True), WAIT_S).success
    caller.destroy()
    streams.unserve(service)
    publish_until(lambda: node.count_services('/robot_1/record') == 0, lambda: None)
