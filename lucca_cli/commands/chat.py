"""`lucca chat`: a conversation in the terminal, on the data folder or with the robot of a running stack."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from coordinator_node.persona import load_persona
from lucca_cli.chat_backends import ChatAnswer, ChatBackend, StackChat, local_chat
from lucca_cli.options import Json, name_of_person
from lucca_cli.output import Output
from lucca_cli.ros_presence import missing_ros
from lucca_cli.typed_lines import TypedLines
from lucca_core.errors import FolderInUseError, LuccaError, StackError
from lucca_core.paths import default_data_dir
from lucca_core.protocol.goals import GoalResult, Status

if TYPE_CHECKING:
    from lucca_cli.client import StackClient

HELP = '/recall: what the last answer rests on · /feedback good|bad · /tasks · /quit'
_FIND_STACK_S = 2.0


def chat(
    person: Annotated[
        str, typer.Option(help='Your name; without it you are a guest, who is forgotten.', callback=name_of_person)
    ] = '',
    data_dir: Annotated[
        Optional[Path],
        typer.Option('--data', '--data-dir', help='Data folder; chats with its memory, without a robot.'),
    ] = None,
    llm: Annotated[str, typer.Option('--llm', help='Model spec, e.g. ollama:llama3.1@http://localhost:11434')] = '',
    worker_llm: Annotated[str, typer.Option('--worker-llm', help='Model spec of the worker.')] = '',
    embedding: Annotated[str, typer.Option(help='Embedding spec: auto, minilm, mpnet, ollama:…, openai:…, none.')] = '',
    as_json: Json = False,
) -> None:
    """Talks with the robot, which remembers earlier chats. Without a running stack it has its memory, but no
    arms. With --json, each typed line is answered with one line of JSON."""
    show = Output(as_json=as_json)
    with (
        open_chat(person, data_dir, llm, worker_llm, embedding, show) as room,
        TypedLines(room.hear) as typed,
    ):
        if as_json:
            run_json_chat(room, show, typed.next)
            return

        def ask() -> str:
            show.console.print(f'[bold]{escape(person or "you")}:[/] ', end='')
            return typed.next()

        run_chat(room, show.console, person, ask)


def run_json_chat(room: ChatBackend, show: Output, ask: Callable[[], str]) -> None:
    """A chat for a program, until /quit or the end of input. Each line is answered with one line of JSON."""
    while True:
        try:
            text = ask().strip()
        except (EOFError, KeyboardInterrupt):
            return
        if text == '/quit':
            return
        if not text:
            continue
        try:
            result = room.say(text, lambda _: None).result
        except StackError:
            raise
        except LuccaError as error:
            result = GoalResult(status=Status.FAILED, reason=str(error))
        show.json_line(result.as_json())


def run_chat(room: ChatBackend, console: Console, person: str, ask: Callable[[], str]) -> None:
    """A chat until /quit, Ctrl-D or Ctrl-C. `ask` returns the next line, or raises EOFError."""
    robot = load_persona().name
    console.print(f'[dim]{escape(room.where)}. {escape(HELP)}[/]')
    last = ChatAnswer('')
    while True:
        try:
            text = ask().strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        if text in ('/quit', '/exit', '/bye'):
            return
        try:
            if text.startswith('/'):
                _command(text, room, console, last)
            elif text:
                last = _turn(text, room, console, robot)
        except StackError:
            raise
        except LuccaError as error:
            console.print(f'[red] {escape(str(error))}[/]')


def _turn(text: str, room: ChatBackend, console: Console, robot: str) -> ChatAnswer:
    console.print(f'[bold cyan]{escape(robot)}:[/]', end='')
    answer = room.say(text, lambda sentence: console.print(f' {escape(sentence)}', end='', highlight=False))
    console.print()
    if answer.recalled:
        names = ', '.join(line.partition(')')[0] + ')' for line in answer.recalled)
        console.print(f'[dim]  recalled {escape(names)}[/]', highlight=False)
    return answer


def _command(text: str, room: ChatBackend, console: Console, last: ChatAnswer) -> None:
    name, _, argument = text.partition(' ')
    if name == '/recall':
        for line in last.recalled or ('the last answer rests on no memory',):
            console.print(f'[dim]  {escape(line)}[/]', highlight=False)
    elif name == '/feedback' and argument.strip() in ('good', 'bad'):
        console.print(f'[dim]  {escape(room.rate(argument.strip()))}[/]', highlight=False)
    elif name == '/tasks':
        table = Table('task', 'status', 'description')
        for row in room.tasks():
            table.add_row(*map(escape, row))
        console.print(table)
    else:
        console.print(f'[dim]  {escape(HELP)}[/]')


@contextmanager
def open_chat(
    person: str, data_dir: Path | None, llm: str, worker_llm: str, embedding: str, show: Output
) -> Iterator[ChatBackend]:
    """The back end of a chat: a running stack if there is one, else the agent on the data folder.

    The arguments are those of `chat`.

    Raises:
        LuccaError: neither is available.
    """
    with ExitStack() as stack:
        if data_dir is None and not llm and (client := _running_stack(stack, _FIND_STACK_S)):
            yield from _on_stack(client, person, show)
            return
        folder = data_dir or default_data_dir()
        try:
            room = stack.enter_context(local_chat(folder, person, llm, worker_llm, embedding=embedding))
        except FolderInUseError:
            if llm or not (found := _running_stack(stack, 4 * _FIND_STACK_S)):
                raise
            yield from _on_stack(found, person, show)
            return
        yield room


def _running_stack(stack: ExitStack, timeout_s: float) -> 'StackClient | None':
    """A client of the running stack; None if there is none, or no ROS 2."""
    if missing_ros():
        return None
    from lucca_cli.client import StackClient

    client = stack.enter_context(StackClient())
    return client if client.is_up(timeout_s) else None


def _on_stack(client: 'StackClient', person: str, show: Output) -> Iterator[ChatBackend]:
    room = StackChat(client, person, show)
    try:
        yield room
    finally:
        room.leave()
