"""A guard of a node's simulated clock against negative times."""

from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from lucca_ros.rclpy_internals import filter_clock


def refuse_odd_times(node: Node) -> None:
    """Makes a node's clock ignore negative times, whoever publishes them."""

    def is_possible(msg: Clock) -> bool:
        if msg.clock.sec >= 0:
            return True
        node.get_logger().warning(
            f'/clock must not be negative, got {msg.clock.sec} s; the message is ignored', throttle_duration_sec=5.0
        )
        return False

    filter_clock(node, is_possible)
