"""The nodes of the stack: their names and the modules that run them."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODULES: Mapping[str, str] = {
    'simulator': 'lucca_sim.node',
    'relay': 'lucca_sim.relay.node',
    'perception': 'perception_node.node',
    'action': 'action_node.node',
    'worker': 'worker_node.node',
    'speech': 'speech_node.node',
    'coordinator': 'coordinator_node.node',
}
"""Node name -> module. Nodes are started in this order and stopped in reverse."""


@dataclass(frozen=True, kw_only=True)
class NodeSetup:
    """One node of a stack: its name (a key of MODULES), parameter files (later ones win), and parameters."""

    name: str
    params_files: tuple[Path, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)


_PROGRAM = 'import gc; gc.disable(); from {} import main; gc.freeze(); gc.enable(); main()'
"""What is imported stays. To look for garbage meanwhile, and among it ever after, takes a fifth of the start."""


def node_command(
    name: str, *, namespace: str = '', parameters: Mapping[str, Any] | None = None, params_files: Sequence[Path] = ()
) -> list[str]:
    """The command line that starts a node as a process.

    Args:
        name: a key of MODULES.
        namespace: that of the robot, with its own clock and frames; empty: the root namespace, and the shared ones.
        parameters: override the files; each value is written as YAML would write it.
        params_files: parameter files; later ones override earlier ones.
    """
    arguments = []
    if namespace:
        arguments = ['-r', f'__ns:={namespace}']
        for shared in ('clock', 'tf', 'tf_static'):
            arguments += ['-r', f'/{shared}:={shared}']
    for file in params_files:
        arguments += ['--params-file', str(file)]
    for key, value in (parameters or {}).items():
        arguments += ['-p', f'{key}:={value}']
    return [sys.executable, '-c', _PROGRAM.format(MODULES[name]), '--ros-args', *arguments]
