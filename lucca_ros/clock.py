"""The time of a simulation, heard from whoever publishes `/clock`."""

from rclpy.node import Node
from rosgraph_msgs.msg import Clock


def refuse_odd_times(node: Node) -> None:
    """Has a node's clock stay where it is when somebody publishes a negative time.

    Jazzy's rclpy raises out of the executor instead, so that one such message ends the process.
    """
    source = node._time_source
    hear = source.clock_callback

    def heard(msg: Clock) -> None:
        if msg.clock.sec < 0:
            node.get_logger().warning(f'a /clock of {msg.clock.sec} s is refused', throttle_duration_sec=5.0)
        else:
            hear(msg)

    # The first for a subscription that is made later on, the second for one that is there.
    source.clock_callback = heard
    if source._clock_sub is not None:
        source._clock_sub.callback = heard
