"""`lucca memory graph`, `why`, `pin`, `unpin`: inspecting and changing the semantic network."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from lucca_cli.options import DataDir, Json
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages, require_writable
from lucca_core.errors import MemoryFault, StackError
from lucca_core.paths import default_data_dir
from lucca_core.protocol.people import NetworkAnswer
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.embedder import NoEmbedder
from lucca_memory.item_ids import NODE, shown_source
from lucca_memory.people.erasure import finish_erasing
from lucca_memory.people.opening import make_store, shared_address
from lucca_memory.semantic.command_runner import Command, run_command
from lucca_memory.semantic.graph.change import EdgeKind
from lucca_memory.semantic.graph.export import write_graph
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.opening import open_semantic

Nodes = Annotated[list[str], typer.Argument(help='Nodes such as node:17.')]


def graph(
    out: Annotated[
        Optional[Path], typer.Option(help='Also write the whole network to a file (.graphml or .json).')
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Shows statistics of the semantic network: nodes, edges, bytes, importance."""
    show = Output(as_json=as_json)
    require_writable(out)
    if out is not None and out.suffix == '.graphml':
        require_packages('GraphML files', 'networkx', instead='write .json')
    stats = json.loads(_done('graph', [], data_dir).document)
    if out is not None:
        # Works beside a running worker, which has just stored its counts.
        with _memory(data_dir, write=False) as memory:
            write_graph(memory, out, datetime.now(UTC))
    if as_json:
        show.json(stats)
        return
    table = Table('figure', 'value')
    for name, value in stats.items():
        table.add_row(name, ' '.join(f'{item:.2f}' for item in value) if isinstance(value, list) else f'{value:g}')
    show.console.print(table)
    if out is not None:
        show.line(f'written to {out}', 'green')


def why(
    node: Annotated[str, typer.Argument(help='A node such as node:17.')],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Says why a node is kept or was forgotten: its sources, importance and neighbours."""
    show = Output(as_json=as_json)
    found = json.loads(_done('why', numbers_of([node]), data_dir).document)
    if as_json:
        show.json(found)
        return
    for line in _lines(found):
        show.line(line)


def pin(nodes: Nodes, data_dir: DataDir = None) -> None:
    """Pins nodes: they are never forgotten."""
    _change('pin', 'pinned', nodes, data_dir)


def unpin(nodes: Nodes, data_dir: DataDir = None) -> None:
    """Unpins nodes: they may be forgotten again."""
    _change('unpin', 'unpinned', nodes, data_dir)


def restore_nodes(nodes: Sequence[str], data_dir: Path | None) -> None:
    """Restores forgotten nodes."""
    _change('restore', 'are back', nodes, data_dir)


def numbers_of(nodes: Sequence[str]) -> list[int]:
    """Node ids from names such as node:17.

    Raises:
        MemoryFault: a name is not that of a node.
    """
    numbers = [name.removeprefix(NODE) for name in nodes]
    for name, number in zip(nodes, numbers, strict=True):
        if not (number.isascii() and number.isdecimal()):
            raise MemoryFault(
                f'{name[:80]!r} is not a node; write it as in node:17. lucca memory graph --out nodes.json lists them'
            )
    return [int(number) for number in numbers]


def change_nodes(command: Command, nodes: Sequence[str], data_dir: Path | None) -> int:
    """Pins, unpins or restores nodes such as node:17; returns the number of nodes.

    Raises:
        MemoryFault: it was not done.
    """
    return _done(command, numbers_of(nodes), data_dir).count


def _change(command: Command, word: str, nodes: Sequence[str], data_dir: Path | None) -> None:
    show = Output()
    count = change_nodes(command, nodes, data_dir)
    show.line(f'{count} of {len(nodes)} nodes {word}', 'green' if count == len(nodes) else 'yellow')


def _lines(found: dict[str, Any]) -> Iterator[str]:
    valid_to = found['valid_to']
    held = 'holds' if valid_to is None else f'no longer true since {_minute(valid_to)}'
    yield f'{NODE}{found["id"]}  {found["kind"]}, {held}{", pinned" if found["pinned"] else ""}'
    yield f'  {found["speaker"]}: {found["text"]}' if found['speaker'] else f'  {found["text"]}'
    sources = ', '.join(map(shown_source, found['sources']))
    yield f'  from {sources or "nothing"}, first {_minute(found["valid_from"])}'
    if found['forgotten']:
        yield f'  forgotten: {found["forgotten"]}'
    if (terms := found['importance']) is not None:
        yield f'  importance {terms["I"]:.3f}: R {terms["R"]:.2f}, F {terms["F"]:.2f}, C {terms["C"]:.2f}'
    for member, text in found.get('members', ()):
        yield f'  stands for {NODE}{member} {text}'
    for kind, direction, other, text in found['ties']:
        arrow = '->' if direction == 'to' else '<-'
        yield f'  {arrow} {EdgeKind(kind).name.lower()} {NODE}{other} {text}'


def _minute(time: str) -> str:
    return f'{datetime.fromisoformat(time):%Y-%m-%d %H:%M}'


def _done(command: Command, node_ids: Sequence[int], data_dir: Path | None) -> NetworkAnswer:
    """Runs the command in the worker that holds the folder, or else on the files."""
    folder = data_dir or default_data_dir()
    if DataFolder.is_in_use(folder):
        # Imported here, as ROS is not needed without a stack.
        from lucca_cli.worker_requests import ask_network

        try:
            return ask_network(command, str(folder.absolute()), node_ids)
        except StackError as error:
            if command not in ('graph', 'why'):
                raise MemoryFault(f'{folder} is in use, and its worker could not be asked: {error}') from error
            # The folder is held by another process, such as a chat; reading is still possible.
    with _memory(data_dir, write=command not in ('graph', 'why')) as memory:
        return run_command(memory, command, node_ids, datetime.now(UTC))


@contextmanager
def _memory(data_dir: Path | None, *, write: bool) -> Iterator[ConceptMemory]:
    with DataFolder.open(data_dir or default_data_dir(), write=write) as folder:
        if write:
            with closing(make_store('', folder)) as store:
                finish_erasing(folder, store)
        # Reading and pinning need no embeddings, so no model is loaded; stored vectors stay unchanged.
        with open_semantic(folder, NoEmbedder(), address=shared_address()) as memory:
            yield memory
