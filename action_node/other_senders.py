"""Who else sends trajectories to the controllers. Two senders move one arm against each other."""

from collections.abc import Iterable

from rclpy.node import Node

from lucca_core.english import and_list


def other_senders(node: Node, controllers: Iterable[str]) -> str:
    """Other nodes that publish trajectories to these controllers, as a clause; empty if there are none.

    A publisher of this node's own name is not counted: it is this node, or one before it that was killed and that
    others have not forgotten yet. A second node of this name is refused at its start.
    """
    own = (node.get_namespace(), node.get_name())
    found: dict[str, list[str]] = {}
    for controller in controllers:
        topic = node.resolve_topic_name(f'{controller}/joint_trajectory')
        for info in node.get_publishers_info_by_topic(topic):
            if (info.node_namespace, info.node_name) != own:
                sender = f'{info.node_namespace.rstrip("/")}/{info.node_name}'
                found.setdefault(sender, []).append(controller)
    return '; '.join(
        f'{sender} may also send trajectories to {and_list(sorted(set(names)))}: end it, as two senders move an arm '
        'against each other'
        for sender, names in sorted(found.items())
    )
