"""Companions: further ROS nodes beside a main node, with threads of their own."""

from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from lucca_ros.clock import refuse_odd_times
from lucca_ros.rclpy_internals import destroy_for_good
from lucca_ros.spinning import SpinThread

_CLOCK = '/clock'


def companion_node(node: Node, suffix: str, *, sim_time: bool = False) -> Node:
    """A further node, `NAME_suffix`, in the context and namespace of a main node.

    The main node resolves all names with its own remappings. Only that of the clock is repeated here, because rclpy
    itself subscribes to the clock.
    """
    made = Node(
        f'{node.get_name()}_{suffix}',
        namespace=node.get_namespace(),
        context=node.context,
        cli_args=['--ros-args', '-r', f'{_CLOCK}:={node.resolve_topic_name(_CLOCK)}'],
        use_global_arguments=False,
        enable_rosout=False,
        start_parameter_services=False,
        parameter_overrides=[
            Parameter('use_sim_time', value=sim_time),
            Parameter('start_type_description_service', value=False),
        ],
    )
    refuse_odd_times(made)
    return made


class Companion:
    """A companion of a node, `NAME_suffix`, for work that must not wait for the node's own callbacks or delay them.

    For each incoming message, rclpy's executor checks all entities that it has, so work in the companion also saves the
    node's executor time.

    It is made in the node's constructor and closed in its `destroy_node`.
    """

    def __init__(self, node: Node, suffix: str, *, threads: int = 1) -> None:
        self.node = companion_node(node, suffix)
        executor = (
            SingleThreadedExecutor(context=node.context)
            if threads == 1
            else MultiThreadedExecutor(num_threads=threads, context=node.context)
        )
        executor.add_node(self.node)
        self._spinning = SpinThread(executor, self.node.get_name())

    def start(self) -> None:
        """Starts to spin."""
        self._spinning.start()

    def close(self) -> None:
        """Ends the thread and the companion. A second call does nothing."""
        self._spinning.close()
        destroy_for_good(self.node)
