"""The kinds of nodes there are: what is started, installed and claimed by this name."""

from collections.abc import Mapping

MODULES: Mapping[str, str] = {
    'simulator': 'lucca_sim.node',
    'perception': 'perception_node.node',
    'action': 'action_node.node',
    'worker': 'worker_node.node',
    'speech': 'speech_node.node',
    'coordinator': 'coordinator_node.node',
}
"""The module that runs each. Started in this order, ended in reverse."""
