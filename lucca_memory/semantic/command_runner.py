"""Running the commands for inspecting and changing the network, in the worker's service or directly on the files."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, get_args

from lucca_core.protocol.people import NetworkAnswer
from lucca_memory.semantic.answering.explanation import explain
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.values import NetworkStats

Command = Literal['graph', 'why', 'pin', 'unpin', 'restore']
COMMANDS: tuple[Command, ...] = get_args(Command)


def run_command(memory: ConceptMemory, command: str, node_ids: Sequence[int], now: datetime) -> NetworkAnswer:
    """Runs a command; its effect is on the disk when this returns.

    Raises:
        ValueError: there is no such command, or `why` was not given exactly one node.
        MemoryFault: there is no such node, or memory cannot be read or written.
    """
    if command == 'graph':
        # So that readers of the files see the counts of this process.
        memory.store_uses()
        return NetworkAnswer(document=json.dumps(stats_as_json(memory.stats(now))))
    if command == 'why':
        if len(node_ids) != 1:
            raise ValueError(f'why takes one node, got {len(node_ids)}')
        return NetworkAnswer(document=json.dumps(explain(memory, node_ids[0], now)))
    if command in ('pin', 'unpin'):
        return NetworkAnswer(count=memory.pin(node_ids, command == 'pin'))
    if command == 'restore':
        return NetworkAnswer(count=memory.restore(node_ids, now))
    raise ValueError(f'command must be one of {", ".join(COMMANDS)}, got {command[:80]!r}')


def stats_as_json(stats: NetworkStats) -> dict[str, Any]:
    """The statistics by name."""
    names = [*NetworkStats.__slots__]
    return {name: list(value) if isinstance(value := getattr(stats, name), tuple) else value for name in names}
