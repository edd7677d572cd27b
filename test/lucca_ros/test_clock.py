"""A clock that says what no clock says."""

import threading

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock

from lucca_ros.clock import refuse_odd_times
from lucca_ros.streams import Streams

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('where', ['node', 'streams'])
def test_a_negative_time_leaves_the_clock_where_it_is(context, executor, make_node, where):
    node = Node('timed', context=context, parameter_overrides=[Parameter('use_sim_time', value=True)])
    streams = Streams(node) if where == 'streams' else None
    refuse_odd_times(node)
    executor.add_node(node)
    publisher = make_node('teller').create_publisher(Clock, '/clock', 1)
    times, pause = [], threading.Event()

    def tell(sec):
        msg = Clock()
        msg.clock.sec = sec
        publisher.publish(msg)

    for sec in (5, -3, -(2**31), 7):
        for _ in range(20 if sec < 0 else 1000):
            tell(sec)
            pause.wait(0.02)
            times.append(node.get_clock().now().nanoseconds // 10**9)
            if times[-1] == sec:
                break
        if sec < 0:
            assert times[-1] == 5
    assert times[-1] == 7
    if streams is not None:
        streams.close()
    executor.remove_node(node)
    node.destroy_node()
