"""The commands with the oldest typer that lucca runs with, 0.9 of Ubuntu 24.04."""

import json
import os
import subprocess
import sys
import types
import typing
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Optional

import pytest
import typer
from typer.testing import CliRunner

pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from lucca_cli.laboratory import further_commands  # noqa: E402 - rclpy has to be there
from lucca_cli.main import COMMANDS, app  # noqa: E402
from lucca_lab.commands.groups import BENCH_COMMANDS, EVAL_COMMANDS  # noqa: E402


def callbacks_of(app: typer.Typer | Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    if not isinstance(app, typer.Typer):
        yield app
        return
    if app.registered_callback is not None and app.registered_callback.callback is not None:
        yield app.registered_callback.callback
    yield from (command.callback for command in app.registered_commands if command.callback is not None)
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from callbacks_of(group.typer_instance)


def unreadable(callback: Callable[..., Any]) -> list[str]:
    """The options whose type is written `X | None`, of which typer 0.9 says that it is not yet supported."""
    hints = typing.get_type_hints(callback, include_extras=True)
    plain = {name: typing.get_args(hint)[0] if hasattr(hint, '__metadata__') else hint for name, hint in hints.items()}
    return [name for name, hint in plain.items() if name != 'return' and isinstance(hint, types.UnionType)]


LISTED = [*COMMANDS.values(), *EVAL_COMMANDS.values(), *BENCH_COMMANDS.values()]
PLACES = {*(listed.place for listed in LISTED), *(point.value for point in further_commands().values())}


@pytest.mark.parametrize('place', sorted(PLACES))
def test_no_option_has_a_type_that_typer_0_9_does_not_read(place):
    module, _, name = place.partition(':')
    found = {
        f'{callback.__module__}.{callback.__name__}': wrong
        for callback in callbacks_of(getattr(import_module(module), name))
        if (wrong := unreadable(callback))
    }
    assert not found, f'write Optional[X] for these: {found}'


@pytest.mark.parametrize(
    'words', [['say', 'put \udcff in box 1'], ['say', 'hi', '--person', '\ud800'], ['tasks', '\udc80']]
)
def test_bytes_that_are_no_text_are_refused_in_a_sentence(words):
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert 'is not UTF-8 text' in ' '.join(result.output.split())


def test_what_typer_0_9_cannot_read_is_told_from_what_it_can():
    def old(a: Annotated[Optional[int], typer.Option()] = None, b: int = 1) -> None: ...  # noqa: UP045

    def new(a: Annotated[int | None, typer.Option()] = None, b: int | None = None) -> None: ...

    assert unreadable(old) == []
    assert unreadable(new) == ['a', 'b']


SHOWN = {
    '--help': 'Talks with the robot',
    'log --help': '--make-key',
    'memory --help': 'forget',
    'memory forget --help': '--blank-mentions',
    'up --help': '--attach',
    'attack --list': 'second-stack',
}
"""A part of what each of these commands shows."""


@pytest.fixture(scope='module')
def old_typer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with typer 0.9 and a click of its time, which Python finds before those of the environment."""
    folder = tmp_path_factory.mktemp('typer')
    pip = [sys.executable, '-m', 'pip', '--disable-pip-version-check', 'install', '-q', '--target', str(folder)]
    if subprocess.run([*pip, 'typer==0.9.*', 'click<8.2'], capture_output=True).returncode:
        pytest.skip('the package index cannot be reached')
    return folder


# One process runs all of them: most of the time of each goes into imports.
PROGRAM = """
import contextlib, io, json, sys
import typer
assert typer.__version__.startswith('0.9.'), typer
from lucca_cli.main import main
shown = {}
for words in sys.argv[1:]:
    sys.argv[1:] = words.split()
    said, code = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(said):
            main()
    except SystemExit as end:
        code = end.code
    shown[words] = (code or 0, said.getvalue())
print(json.dumps(shown))
"""


@pytest.fixture(scope='module')
def shown(old_typer: Path) -> dict[str, list[Any]]:
    environment = {**os.environ, 'PYTHONPATH': str(old_typer), 'COLUMNS': '200'}
    done = subprocess.run([sys.executable, '-c', PROGRAM, *SHOWN], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


@pytest.mark.timeout(600)
@pytest.mark.parametrize('words', SHOWN)
def test_a_command_runs_with_typer_0_9(shown: dict[str, list[Any]], words: str) -> None:
    code, said = shown[words]
    assert code == 0
    assert SHOWN[words] in said
