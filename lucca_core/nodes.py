"""The nodes of the stack: the name of each and the module that runs it."""

from collections.abc import Mapping

MODULES: Mapping[str, str] = {
    'simulator': 'lucca_sim.node',
    'perception': 'perception_node.node',
    'action': 'action_node.node',
    'worker': 'worker_node.node',
    'speech': 'speech_node.node',
    'coordinator': 'coordinator_node.node',
}
"""Node name -> module. Nodes are started in this order and stopped in reverse."""
