import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from lucca_cli import goal_runs as run_command  # noqa: E402
from lucca_cli.goal_runs import RunResult  # noqa: E402
from lucca_cli.laboratory import LABORATORY_COMMANDS  # noqa: E402
from lucca_cli.lazy_group import ListedCommand  # noqa: E402
from lucca_cli.main import COMMANDS, app  # noqa: E402
from lucca_core.errors import StackError  # noqa: E402
from lucca_core.protocol.entries import EntryKind  # noqa: E402
from lucca_core.protocol.goals import GoalRequest, GoalResult  # noqa: E402
from lucca_lab.commands.groups import BENCH_COMMANDS, EVAL_COMMANDS  # noqa: E402
from lucca_memory.data_folder import DataFolder  # noqa: E402
from lucca_memory.declarative.entry import Entry  # noqa: E402
from lucca_memory.declarative.log import TaskLog  # noqa: E402


@pytest.fixture
def lucca() -> Callable[..., Any]:
    return lambda *words: CliRunner().invoke(app, list(words))


@pytest.fixture
def ends_as(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[GoalRequest, ...]]]:
    """Makes `lucca run` end as told without a stack; returns what it was asked for."""

    def install(status: str, *, physical: bool | None = True, reason: str = '') -> list[tuple[GoalRequest, ...]]:
        asked: list[tuple[GoalRequest, ...]] = []

        def run_goals(requests: list[GoalRequest], options: Any, *_: Any, **__: Any) -> RunResult:
            asked.append((*requests, options))
            report = GoalResult(status=status, task='described', said='So be it.', reason=reason)
            return RunResult(status == 'finished', physical, (report,), {'bowl': ['can']}, ())

        monkeypatch.setattr(run_command, 'run_goals', run_goals)
        return asked

    return install


@pytest.mark.parametrize(
    ('status', 'physical', 'code'),
    [('finished', True, 0), ('finished', None, 0), ('finished', False, 1), ('failed', True, 1), ('refused', True, 3)],
)
def test_exit_code_tells_how_a_run_ended(lucca, ends_as, status, physical, code):
    ends_as(status, physical=physical)
    assert lucca('run', 'sorting').exit_code == code


def test_run_prints_nothing_but_json_on_standard_out(lucca, ends_as):
    ends_as('finished')
    told = json.loads(lucca('run', '--describe', 'put the can in the bowl', '--json').stdout)
    assert told['completed'] is True
    assert told['containers'] == {'bowl': ['can']}


def test_run_passes_on_what_was_described_and_the_objects(lucca, ends_as):
    asked = ends_as('finished')
    lucca('run', '--describe', 'give me the cup', '--objects', 'cup, apple', '--seed', '4')
    ((request, options),) = asked
    assert request == GoalRequest(text='give me the cup')
    assert options.objects == ('cup', 'apple')
    assert options.seed == 4


def test_run_of_nothing_is_a_usage_error(lucca):
    result = lucca('run')
    assert result.exit_code == 2
    assert '--describe' in result.stderr


def test_stack_that_cannot_be_started_is_one_line_and_code_1(lucca, monkeypatch):
    def fail(*_: Any, **__: Any) -> None:
        raise StackError('worker ended 5 times right after its start')

    monkeypatch.setattr(run_command, 'run_goals', fail)
    result = lucca('run', 'sorting')
    assert result.exit_code == 1
    assert 'lucca: worker ended 5 times' in result.stderr
    assert 'Traceback' not in result.output


def test_log_shows_what_is_on_the_disk_without_a_stack(lucca, tmp_path: Path):
    with DataFolder.open(tmp_path / 'memory', write=True) as data:
        log = TaskLog(data, 'tower')
        log.append(Entry(kind=EntryKind.STARTED))
        log.append(Entry(kind=EntryKind.INTENT, action='<put_on_tower(red cube)>', object_name='red cube'))
    result = lucca('log', 'tower', '--data-dir', str(tmp_path / 'memory'))
    assert result.exit_code == 0
    assert '<put_on_tower(red cube)>' in result.stdout


def test_log_of_an_unknown_task_names_those_there_are(lucca, tmp_path: Path):
    with DataFolder.open(tmp_path / 'memory', write=True) as data:
        TaskLog(data, 'tower').append(Entry(kind=EntryKind.STARTED))
    result = lucca('log', 'towel', '--data-dir', str(tmp_path / 'memory'))
    assert result.exit_code == 1
    assert 'tower' in result.stderr


def test_a_damaged_log_is_told_verified_and_accepted(lucca, tmp_path: Path):
    where = ('--data-dir', str(tmp_path / 'memory'))
    with DataFolder.open(tmp_path / 'memory', write=True) as data:
        TaskLog(data, 'sorting').append(Entry(kind=EntryKind.STARTED))
        log = TaskLog(data, 'tower')
        log.append(Entry(kind=EntryKind.STARTED))
        size = log.path.stat().st_size
        log.append(Entry(kind=EntryKind.FINISHED))
    assert lucca('log', '--verify', *where).exit_code == 0
    os.truncate(log.path, size)
    shown = lucca('log', 'tower', *where)
    assert shown.exit_code == 1
    assert "lucca log 'tower' --verify" in ' '.join(shown.stderr.split())
    found = lucca('log', '--verify', '--json', *where)
    assert found.exit_code == 1
    assert [bool(item['damage']) for item in json.loads(found.stdout)] == [False, True]
    assert lucca('log', 'tower', '--verify', *where).exit_code == 1
    accepted = lucca('log', 'tower', '--accept', *where)
    assert (accepted.exit_code, 'continues after entry 1' in ' '.join(accepted.stdout.split())) == (0, True)
    assert lucca('log', '--verify', *where).exit_code == 0


def test_a_key_signs_the_logs_and_is_made_by_a_command(lucca, tmp_path: Path, monkeypatch):
    pytest.importorskip('cryptography')
    assert lucca('log', '--make-key', str(tmp_path / 'key')).exit_code == 0
    assert (tmp_path / 'key').stat().st_mode & 0o777 == 0o600
    where = ('--data-dir', str(tmp_path / 'memory'), '--key', str(tmp_path / 'key.pub'))
    with DataFolder.open(tmp_path / 'memory', write=True) as data:
        TaskLog(data, 'tower').append(Entry(kind=EntryKind.STARTED))
    assert lucca('log', 'tower', '--verify', *where).exit_code == 1
    signed = lucca('log', 'tower', '--accept', *where[:3], str(tmp_path / 'key'))
    assert signed.exit_code == 0
    assert lucca('log', 'tower', '--verify', *where).exit_code == 0


@pytest.mark.parametrize('wrong', [['log'], ['log', 'tower', '--verify', '--accept']])
def test_log_says_what_it_needs(lucca, wrong):
    assert lucca(*wrong).exit_code == 2


def test_a_yes_is_for_one_task(lucca):
    assert lucca('run', 'sorting', 'tower', '--confirm', 'any call').exit_code == 2


def listed_commands() -> dict[tuple[str, ...], ListedCommand]:
    """Every command that is described before it is loaded, by the words that call it."""
    of_lucca = {(name,): listed for name, listed in COMMANDS.items()}
    of_eval = {('eval', name): listed for name, listed in EVAL_COMMANDS.items()}
    return of_lucca | of_eval | {('bench', name): listed for name, listed in BENCH_COMMANDS.items()}


def test_each_command_is_found_named_and_described_as_its_own_help_begins(lucca, monkeypatch):
    monkeypatch.setenv('COLUMNS', '200')
    summaries = {words: listed.summary for words, listed in listed_commands().items()}
    for words, summary in (summaries | {(name,): text for name, text in LABORATORY_COMMANDS.items()}).items():
        assert f'{words[-1]} ' in lucca(*words[:-1], '--help').output
        told = lucca(*words, '--help')
        assert told.exit_code == 0, told.output
        assert f'Usage: root {" ".join(words)} ' in told.output
        assert summary in told.output


WITHOUT_ROS = """
import sys
from importlib import import_module
sys.modules |= {'rclpy': None, 'lucca_interfaces': None}
for place in sys.argv[1:]:
    try:
        import_module(place.partition(':')[0])
    except ModuleNotFoundError:
        print(place)
"""


def test_what_needs_ros_to_be_imported_is_listed_so():
    listed = {command.place: command.needs_ros for command in listed_commands().values()}
    done = subprocess.run([sys.executable, '-c', WITHOUT_ROS, *listed], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {place for place, needs_ros in listed.items() if needs_ros}


def test_without_ros_a_command_that_needs_it_says_so_in_the_list_and_in_its_own_help(lucca, monkeypatch):
    monkeypatch.setattr('lucca_cli.lazy_group.missing_ros', lambda: ('rclpy',))
    monkeypatch.setattr('lucca_cli.lazy_group.import_module', _without_rclpy)
    assert lucca('--help').output.count('Needs ROS 2, which is not installed.') == sum(
        listed.needs_ros for listed in COMMANDS.values()
    )
    told = lucca('up', '--help')
    assert (told.exit_code, 'Needs ROS 2' in told.output) == (0, True)


def _without_rclpy(module: str) -> None:
    raise ModuleNotFoundError(f'there is no rclpy for {module}', name='rclpy')


@pytest.mark.parametrize('name', LABORATORY_COMMANDS)
def test_without_the_laboratory_its_commands_say_in_one_line_what_to_install(lucca, monkeypatch, name):
    monkeypatch.setattr('lucca_cli.root_group.further_commands', dict)
    assert name not in lucca('--help').output.split()
    result = lucca(name, '--help')
    assert result.exit_code == 1
    assert 'pip install ./laboratory' in ' '.join(result.stderr.split())


def test_without_the_laboratory_the_spoken_demo_says_what_to_install(lucca, monkeypatch, tmp_path):
    monkeypatch.setattr('lucca_core.laboratory.instruments', dict)
    result = lucca('demo', '--voice', '--out', str(tmp_path / 'demo'))
    assert result.exit_code == 1
    assert 'pip install ./laboratory' in ' '.join(result.stderr.split())
    assert not (tmp_path / 'demo').exists()


def test_what_is_no_command_is_wrong_usage(lucca):
    assert lucca('dance').exit_code == 2


def loaded(code: str) -> set[str]:
    """The modules that a new process has loaded after some code."""
    program = f'import sys\ntry:\n    {code}\nfinally:\n    print(*sys.modules, file=sys.stderr)'
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def loaded_by(*words: str) -> set[str]:
    return loaded(f'import lucca_cli.main; sys.argv[1:] = {words}; lucca_cli.main.main()')


def commands_among(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith(('lucca_cli.commands.', 'lucca_lab.commands.'))}


def test_a_stop_waits_for_no_import_that_it_does_not_need():
    found = loaded('import lucca_cli.main, lucca_cli.commands.stop')
    assert 'rclpy' in found
    assert not {'scipy', 'mujoco', 'lucca_lab', 'lucca_sim'} & found


@pytest.mark.parametrize('words', [('--help',), ('--version',), ('eval', '--help'), ('bench', '--help')], ids=' '.join)
def test_a_list_of_commands_is_shown_without_loading_one(words):
    found = loaded_by(*words)
    assert 'lucca_cli.lazy_group' in found
    assert not {'numpy', 'scipy', 'mujoco', 'rclpy'} & found
    assert commands_among(found) <= {'lucca_lab.commands.groups'}


def test_a_command_is_loaded_without_the_others():
    assert commands_among(loaded_by('log', '--help')) == {'lucca_cli.commands.log'}
    ours = commands_among(loaded_by('bench', 'logs', '--help'))
    assert ours == {'lucca_lab.commands.groups', 'lucca_lab.commands.bench_logs'}
