"""`lucca memory graph|why|pin|unpin` and the nodes of `lucca memory restore`: the semantic network, by hand."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lucca_cli.show import Show
from lucca_core.errors import LuccaError, MemoryFault
from lucca_core.paths import default_data_dir
from lucca_memory.data_folder import DataFolder
from lucca_memory.embedding.ports import NoEmbedder
from lucca_memory.people.erasing import finish_broken_off
from lucca_memory.semantic.changes import EdgeKind
from lucca_memory.semantic.explaining import Explained, explain
from lucca_memory.semantic.export import write_graph
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.opening import open_semantic
from lucca_memory.semantic.ports import NetworkStats

NODE = 'node:'

DataDir = Annotated[Path | None, typer.Option(help='Folder of the memory.')]
Json = Annotated[bool, typer.Option('--json', help='Print JSON on standard out.')]
Nodes = Annotated[list[str], typer.Argument(help='Nodes such as node:17.')]


def graph(
    out: Annotated[Path | None, typer.Option(help='Write all of it to a file, .graphml or .json.')] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """How the semantic network stands: nodes, edges, bytes, importance."""
    show = Show(as_json=as_json)
    with _errors(show), _memory(data_dir, write=False) as memory:
        now = datetime.now(UTC)
        stats = memory.stats(now)
        if out is not None:
            write_graph(memory, out, now)
        if as_json:
            show.json(_as_json(stats))
            return
        table = Table('figure', 'value')
        for name, value in _as_json(stats).items():
            table.add_row(name, ' '.join(f'{item:.2f}' for item in value) if isinstance(value, list) else f'{value:g}')
        show.console.print(table)
        if out is not None:
            show.line(f'written to {out}', 'green')


def why(
    node: Annotated[str, typer.Argument(help='A node such as node:17.')],
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Why a node is kept or was forgotten: where it is from, its importance and what it is tied to."""
    show = Show(as_json=as_json)
    with _errors(show), _memory(data_dir, write=False) as memory:
        found = explain(memory, numbers_of([node])[0], datetime.now(UTC))
        if as_json:
            show.json(found.as_json())
            return
        for line in _lines(found):
            show.line(line)


def pin(nodes: Nodes, data_dir: DataDir = None) -> None:
    """Pins nodes: they are never forgotten."""
    _set_pinned(nodes, True, data_dir)


def unpin(nodes: Nodes, data_dir: DataDir = None) -> None:
    """Lets go of pinned nodes: they may be forgotten again."""
    _set_pinned(nodes, False, data_dir)


def restore_nodes(nodes: Sequence[str], data_dir: Path | None, show: Show) -> None:
    """Brings forgotten nodes back.

    Raises:
        LuccaError: a name is no node's, or memory cannot be written.
    """
    with _memory(data_dir, write=True) as memory:
        count = memory.restore(numbers_of(nodes), datetime.now(UTC))
        show.line(f'{count} of {len(nodes)} nodes are back', 'green' if count == len(nodes) else 'yellow')


def numbers_of(nodes: Sequence[str]) -> list[int]:
    """Node ids from names such as node:17.

    Raises:
        MemoryFault: a name is no node's.
    """
    numbers = [name.removeprefix(NODE) for name in nodes]
    for name, number in zip(nodes, numbers, strict=True):
        if not (number.isascii() and number.isdecimal()):
            raise MemoryFault(f'{name[:80]!r} names no node; it should read node:17')
    return [int(number) for number in numbers]


def _set_pinned(nodes: Sequence[str], pinned: bool, data_dir: Path | None) -> None:
    show = Show()
    with _errors(show), _memory(data_dir, write=True) as memory:
        count = memory.pin(numbers_of(nodes), pinned)
        word = 'pinned' if pinned else 'unpinned'
        show.line(f'{count} of {len(nodes)} nodes {word}', 'green' if count == len(nodes) else 'yellow')


def _lines(found: Explained) -> Iterator[str]:
    held = 'holds' if found.valid_to is None else f'no longer true since {found.valid_to:%Y-%m-%d %H:%M}'
    yield f'{NODE}{found.node_id}  {found.kind}, {held}{", pinned" if found.pinned else ""}'
    yield f'  {found.speaker}: {found.text}' if found.speaker else f'  {found.text}'
    yield f'  from {", ".join(found.sources) or "nothing"}, first {found.valid_from:%Y-%m-%d %H:%M}'
    if found.forgotten:
        yield f'  forgotten: {found.forgotten}'
    if found.importance is not None:
        recency, frequency, centrality, importance = found.importance
        yield f'  importance {importance:.3f}: R {recency:.2f}, F {frequency:.2f}, C {centrality:.2f}'
    for kind, direction, other, text in found.ties:
        arrow = '->' if direction == 'to' else '<-'
        name = EdgeKind(kind).name.lower()
        yield f'  {arrow} {name} {NODE}{other} {text}'


def _as_json(stats: NetworkStats) -> dict[str, Any]:
    names = [*NetworkStats.__slots__]
    return {name: list(value) if isinstance(value := getattr(stats, name), tuple) else value for name in names}


@contextmanager
def _memory(data_dir: Path | None, *, write: bool) -> Iterator[ConceptMemory]:
    with DataFolder.open(data_dir or default_data_dir(), write=write) as folder:
        if write:
            finish_broken_off(folder)
        # Looking and pinning need no meanings, so no model is loaded; vectors stay as they are.
        with open_semantic(folder, NoEmbedder()) as memory:
            yield memory


@contextmanager
def _errors(show: Show) -> Iterator[None]:
    try:
        yield
    except LuccaError as error:
        show.error(str(error))
        raise typer.Exit(1) from error
