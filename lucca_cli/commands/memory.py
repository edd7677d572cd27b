"""`lucca memory`: lists, searches, exports, forgets and restores what the robot knows about people.

Reading works beside a running worker. Writing needs exclusive access to the data folder, so the worker of a running
stack is paused meanwhile.
"""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.markup import escape
from rich.table import Table

from lucca_cli.commands.memory_graph import graph, pin, restore_nodes, unpin, why
from lucca_cli.exit_codes import EXIT_FAILED
from lucca_cli.options import DataDir, Embedding, Json
from lucca_cli.output import Output
from lucca_cli.people_access import known_person, one_line, people_memory, people_store
from lucca_cli.writable_folder import writable_folder
from lucca_core.errors import MemoryFault
from lucca_core.json_text import parse_json
from lucca_core.paths import default_state_dir
from lucca_core.regular_file import read_regular_text
from lucca_llm.servers.embedder import make_http_embedder
from lucca_memory.data_folder import RECORDINGS
from lucca_memory.embedding.spec import AUTO, make_embedder
from lucca_memory.item_ids import NODE
from lucca_memory.people.erasure import erase_person, finish_erasing
from lucca_memory.people.memory import line_ids
from lucca_memory.people.name_eraser import NameEraser
from lucca_memory.people.opening import make_store
from lucca_memory.people.store import PeopleStore
from lucca_memory.people.transfer import export_person, import_person
from lucca_memory.people.values import Line
from lucca_memory.retrieval.values import Question

app = typer.Typer(no_args_is_help=True, help='What the robot knows about people, and its semantic network.')
app.command()(graph)
app.command()(why)
app.command()(pin)
app.command()(unpin)

Name = Annotated[str, typer.Argument(help='Name of the person.')]


@app.command()
def people(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Lists the people the robot knows."""
    show = Output(as_json=as_json)
    with people_store(data_dir) as store:
        rows = [(person, store.count_lines(person.person_id)) for person in store.people()]
        if as_json:
            show.json([{'name': p.name, 'since': p.since.isoformat(), 'lines': count} for p, count in rows])
            return
        table = Table('person', 'known since', 'lines')
        for person, count in rows:
            table.add_row(escape(one_line(person.name)), f'{person.since:%Y-%m-%d}', str(count))
        show.console.print(table)


@app.command('show')
def show_person(
    person: Name,
    last: Annotated[int, typer.Option(help='Newest lines to show.')] = 20,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Shows long-term and short-term memory of a person: summaries, and the newest lines word for word."""
    show = Output(as_json=as_json)
    with people_store(data_dir) as store:
        known = known_person(store, person)
        summaries, lines = store.summaries(known.person_id), store.last_lines(known.person_id, last)
        if as_json:
            texts = [item.text for item in summaries]
            show.json({'name': known.name, 'summaries': texts, 'lines': [_line_json(line) for line in lines]})
            return
        for item in summaries:
            show.line(f'{item.time:%Y-%m-%d}  {item.text}', 'italic')
        for line in lines:
            show.line(f'said:{line.line_id}  {line.time:%Y-%m-%d %H:%M}  {one_line(line.speaker)}: {line.text}')


@app.command()
def search(
    person: Name,
    text: Annotated[str, typer.Argument(help='What to look for.')],
    limit: Annotated[int, typer.Option(help='Most lines to show.')] = 10,
    enough: Annotated[bool, typer.Option(help='Show only lines that answer TEXT: none, one or several.')] = False,
    embedding: Embedding = AUTO,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Searches a person's memory: the best matches first, and why each was found."""
    show = Output(as_json=as_json)
    with (
        people_memory(data_dir, make_embedder(embedding, make_http_embedder), write=False) as (store, memory),
    ):
        known = known_person(store, person)
        question = Question(text=text, now=datetime.now(UTC), asker=known.name, limit=limit, enough=enough)
        found = memory.recall(known, question)
        if as_json:
            show.json(
                [
                    {'id': item.item_id, 'text': item.text, 'source': item.source, 'score': item.score, 'why': item.why}
                    for item in found
                ]
            )
            return
        for item in found:
            show.line(f'{item.score:5.2f}  {item.item_id}  {one_line(item.source)}: {item.text}')
            show.line(f'       {", ".join(item.why)}', 'dim')


@app.command('export')
def export_(
    person: Name,
    out: Annotated[Optional[Path], typer.Option(help='File to write; standard output if not given.')] = None,
    data_dir: DataDir = None,
) -> None:
    """Exports everything that is known about a person, as JSON."""
    with people_store(data_dir) as store:
        text = export_person(store, known_person(store, person))
        if out is None:
            typer.echo(text)
            return
        try:
            out.write_text(text, encoding='utf-8')
        except OSError as error:
            raise MemoryFault(f'{out} could not be written: {error}') from error


@app.command('import')
def import_(
    file: Annotated[Path, typer.Argument(help='A file written by lucca memory export.')], data_dir: DataDir = None
) -> None:
    """Imports an exported person as a new one; an existing person of that name is never changed."""
    show = Output()
    with people_store(data_dir, write=True) as store:
        try:
            text = read_regular_text(file)
        except (OSError, UnicodeDecodeError) as error:
            raise MemoryFault(f'{file} could not be read: {error}') from error
        person = import_person(store, text)
        show.line(f'{one_line(person.name)}: {store.count_lines(person.person_id)} lines', 'green')


@app.command()
def forget(
    person: Name,
    item: Annotated[
        Optional[list[str]], typer.Option(help='Forget only this line, such as said:17; it can be restored.')
    ] = None,
    blank_mentions: Annotated[
        bool, typer.Option('--blank-mentions', help='Also remove the name from what others said.')
    ] = False,
    yes: Annotated[bool, typer.Option('--yes', help='Do not ask for confirmation.')] = False,
    data_dir: DataDir = None,
) -> None:
    """Erases a person for good: from the store, the index, our backups, the task logs and the recordings in the data
    folder. With --item, one line only.

    What others said about the person belongs to them: the name stays there unless --blank-mentions is given; the
    command lists where.
    """
    show = Output()
    # Ask before a running worker is paused.
    if not item and not yes and not typer.confirm(f'Erase all of {one_line(person)} for good?'):
        raise typer.Exit(EXIT_FAILED)
    with writable_folder(data_dir) as folder, make_store('', folder) as store:
        finish_erasing(folder, store)
        if item:
            known = known_person(store, person)
            count = store.forget(known.person_id, line_ids(item), 'by hand', datetime.now(UTC))
            show.line(f'{count} lines put away; lucca memory restore brings them back', 'green')
            return
        said = _lines_of(store, person)
        erased = erase_person(folder, store, person, blank=blank_mentions)
        show.line(f'erased; {erased.logs} logs and {erased.backups} backups were rewritten', 'green')
        for whose, count in erased.mentions:
            done = 'was removed from' if erased.blanked else 'is still in'
            show.line(
                f'memory of {one_line(whose)}: the name {done} {count} texts', 'green' if erased.blanked else 'yellow'
            )
        if erased.mentions and not erased.blanked:
            show.line('run it again with --blank-mentions to remove the name from what others said', 'yellow')
        for file, count in erased.facts:
            show.line(f'{file}: contains the name {count} times; edit it yourself', 'yellow')
        for place in erased.unreachable:
            show.line(f'this file is missing or damaged and was not rewritten: {place}', 'yellow')
        _forget_in_recordings(folder.path, person, said, show)
    for kept in _prohibitions_of(person):
        # What is prohibited is not lifted by erasing whoever said so.
        show.line(f'{kept} names the person: lift the prohibition with lucca prohibitions, and say it anew', 'yellow')


def _prohibitions_of(name: str) -> list[Path]:
    """The files of prohibitions, in the usual folder, that name a person."""
    eraser, found = NameEraser(name), []
    for file in sorted(default_state_dir().glob('prohibitions.json*')):
        try:
            text = read_regular_text(file)
            # Names are written with escapes in the file.
            named = eraser.occurs_in(str(parse_json(text)))
        except (OSError, ValueError):
            named = True  # a damaged file may name anybody
        if named:
            found.append(file)
    return found


def _lines_of(store: PeopleStore, name: str) -> list[str]:
    """What a person has said; empty for an unknown person."""
    known = store.find(name)
    return [] if known is None else [line.text for line in store.last_lines(known.person_id, sys.maxsize)]


def _forget_in_recordings(folder: Path, name: str, said: Sequence[str], show: Output) -> None:
    if find_spec('mcap') is None:
        if recordings := list((folder / RECORDINGS).glob('*')):
            show.line(f'{len(recordings)} recordings were not rewritten: pip install "lucca[record]"', 'yellow')
        return
    # Imported here, as there are no recordings without the extra.
    from lucca_view.recording.forgetting import forget_person

    done = forget_person(folder, name, said)
    if done.files:
        show.line(f'{done.events} events were removed from {done.files} recordings', 'green')
    for place in done.not_reached:
        show.line(f'this recording was not rewritten: {place}', 'yellow')


@app.command()
def forgotten(person: Name, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Lists lines of a person that were forgotten, and why."""
    show = Output(as_json=as_json)
    with people_store(data_dir) as store:
        away = store.forgotten(known_person(store, person).person_id)
        if as_json:
            show.json([{**_line_json(item.line), 'reason': item.reason} for item in away])
            return
        for item in away:
            show.line(f'said:{item.line.line_id}  {item.time:%Y-%m-%d}  {item.reason}: {item.line.text}')


@app.command('restore')
def restore_lines(
    person: Annotated[str, typer.Argument(help='Name of the person, or a node such as node:17.')],
    items: Annotated[Optional[list[str]], typer.Argument(help='Lines such as said:17, or further nodes.')] = None,
    data_dir: DataDir = None,
) -> None:
    """Restores what was forgotten: lines of a person, or nodes of the semantic network."""
    show = Output()
    if person.startswith(NODE):
        restore_nodes([person, *(items or ())], data_dir)
        return
    with people_store(data_dir, write=True) as store:
        if not items:
            raise MemoryFault('say which lines, such as said:17; lucca memory forgotten lists them')
        count = store.restore(known_person(store, person).person_id, line_ids(items))
        show.line(f'{count} lines are back', 'green')


def _line_json(line: Line) -> dict[str, Any]:
    return {
        'id': f'said:{line.line_id}',
        'time': line.time.isoformat(),
        'conversation': line.conversation,
        'speaker': line.speaker,
        'text': line.text,
    }
