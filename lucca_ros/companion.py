"""A companion: a second ROS node beside a node, with an executor and a thread of its own."""

from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from lucca_ros.clock import refuse_odd_times
from lucca_ros.rclpy_internals import destroy_for_good
from lucca_ros.spinning import SpinThread

_CLOCK = '/clock'


class Companion:
    """A companion of a node, `NAME_suffix`, for what should neither wait for the node's own callbacks nor hold them up.

    rclpy's executor looks through everything that it has for each message that comes in, so what is in the companion
    also costs the node's executor nothing.

    Made in the node's constructor, and closed in its `destroy_node`.
    """

    def __init__(self, node: Node, suffix: str, *, threads: int = 1, sim_time: bool = False) -> None:
        name = f'{node.get_name()}_{suffix}'
        # The node resolves all names with its own remappings. Only the clock's is repeated here, as rclpy itself
        # subscribes to it.
        self.node = Node(
            name,
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
        refuse_odd_times(self.node)
        executor = (
            SingleThreadedExecutor(context=node.context)
            if threads == 1
            else MultiThreadedExecutor(num_threads=threads, context=node.context)
        )
        executor.add_node(self.node)
        self._spinning = SpinThread(executor, name)

    def start(self) -> None:
        """Begins to spin."""
        self._spinning.start()

    def close(self) -> None:
        """Ends the thread and the companion. The second call does nothing."""
        self._spinning.close()
        destroy_for_good(self.node)
