"""The wheel, installed alone in a bare environment outside the checkout: no ROS 2, no laboratory."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_once import made_once

from lucca_cli.laboratory import LABORATORY_COMMANDS
from lucca_cli.ros_presence import NEEDED

ROOT = Path(__file__).resolve().parent.parent
UNREACHABLE = 'unreachable'

# What the first test to come waits for: a build, and an installation of 500 MB.
pytestmark = pytest.mark.timeout(1200)

Lucca = Callable[..., subprocess.CompletedProcess[str]]


def _run(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f'{words} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}'
    return done


@pytest.fixture(scope='session')
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that holds the wheel and what it requires; one for all processes of a test run."""
    folder = made_once(tmp_path_factory, 'wheel', _make)
    if (folder / UNREACHABLE).exists():
        pytest.skip('the package index cannot be reached')
    return folder / 'bare'


def _make(folder: Path) -> None:
    pip = [sys.executable, '-m', 'pip', '--disable-pip-version-check']
    sample = [*pip, 'download', '-q', '--no-deps', '--dest', folder / 'sample', 'typer']
    if subprocess.run([*map(str, sample)], capture_output=True).returncode:
        (folder / UNREACHABLE).touch()
        return
    _run(sys.executable, '-m', 'build', '--no-isolation', '--outdir', folder, ROOT)
    _run(sys.executable, '-m', 'venv', '--without-pip', folder / 'bare')
    (wheel,) = folder.glob('*.whl')
    bare, uv = folder / 'bare' / 'bin' / 'python', Path(sys.executable).with_name('uv')
    # Where the set-up had uv, so has its cache what the wheel requires: seconds instead of a minute.
    fast = [uv, 'pip', 'install', '-q', '--native-tls', '--python', bare, wheel]
    slow = [*pip, '--python', bare, 'install', '-q', '--no-compile', wheel]
    if not uv.exists() or subprocess.run([*map(str, fast)], capture_output=True).returncode:
        _run(*slow)


@pytest.fixture
def lucca(bare: Path, tmp_path: Path) -> Lucca:
    """Runs `lucca` as somebody does who has installed nothing else, in a folder that is not the checkout."""
    environment = {'PATH': '/usr/bin:/bin', 'HOME': str(tmp_path), 'COLUMNS': '400'}

    def run(*words: object, typed: str = '') -> subprocess.CompletedProcess[str]:
        command = [str(bare / 'bin' / 'lucca'), *map(str, words)]
        return subprocess.run(command, input=typed, capture_output=True, text=True, cwd=tmp_path, env=environment)

    return run


def test_help_and_version_are_there(lucca: Lucca):
    assert lucca('--version').stdout.startswith('lucca 0.')
    listed = lucca('--help')
    assert listed.returncode == 0, listed.stderr
    assert 'Talks with the robot' in listed.stdout


def test_a_chat_on_a_data_folder_remembers_and_is_read_by_hand(lucca: Lucca, tmp_path: Path):
    data = tmp_path / 'data'
    told = lucca('chat', '--data', data, '--person', 'Anna', typed='My locker code is 4711.\n/quit\n')
    assert told.returncode == 0, told.stderr
    asked = lucca('chat', '--data', data, '--person', 'Anna', typed='What is my locker code?\n')
    assert (asked.returncode, '4711' in asked.stdout) == (0, True), asked.stdout + asked.stderr
    assert 'Anna' in lucca('memory', 'people', '--data-dir', data).stdout
    verified = lucca('log', '--verify', '--data-dir', data)
    assert verified.returncode == 0, verified.stderr


def test_the_doctor_says_what_is_well_and_that_ros_is_not_there(lucca: Lucca, tmp_path: Path):
    found = lucca('doctor', '--data-dir', tmp_path / 'data')
    assert found.returncode == 1
    bad = [line for line in found.stdout.splitlines() if line.startswith('BAD')]
    assert len(bad) == 1, found.stdout
    assert all(name in bad[0] for name in NEEDED)


@pytest.mark.parametrize('words', [('up',), ('run', 'pointing', '--engine', 'kinematic')], ids=' '.join)
def test_what_needs_ros_says_what_is_missing_and_how_to_get_it(lucca: Lucca, words: tuple[str, ...]):
    refused = lucca(*words)
    assert refused.returncode == 1
    assert all(text in refused.stderr for text in (*NEEDED, 'ros-wheels', 'colcon'))
    assert 'Traceback' not in refused.stderr


def test_the_laboratory_is_not_there_and_says_so(lucca: Lucca):
    for name in LABORATORY_COMMANDS:
        refused = lucca(name)
        assert (refused.returncode, 'pip install ./laboratory' in refused.stderr) == (1, True)


IMPORT_ALL = """
import importlib, pkgutil, sys, lucca_core
from pathlib import Path
site = Path(lucca_core.__file__).parents[1]
names = [path.parent.name for path in site.glob('*/py.typed')]
ours = [name for name in names if name.startswith('lucca_') or name.endswith('_node')]
missing = set()
def load(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing.add(error.name.partition('.')[0])
for name in ours:
    for found in pkgutil.walk_packages([str(site / name)], name + '.'):
        load(found.name)
print(len(ours), *sorted(missing))
"""


def test_every_module_finds_what_it_imports_but_ros_and_the_packages_of_extras(bare: Path, tmp_path: Path):
    count, *missing = _run(bare / 'bin' / 'python', '-c', IMPORT_ALL, cwd=tmp_path, env={'PATH': ''}).stdout.split()
    assert int(count) > 10
    ros = {
        name
        for name in missing
        if name in ('rclpy', 'launch', 'launch_ros', 'ament_index_python') or name.endswith(('_msgs', '_interfaces'))
    }
    assert set(missing) - ros <= {'psycopg', 'mcap', 'zstandard', 'aiohttp', 'opentelemetry', 'rerun'}
