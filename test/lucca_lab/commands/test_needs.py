"""What a command of the laboratory needs is looked for before it begins."""

import importlib.util

import pytest
from typer.testing import CliRunner

pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from lucca_cli import requirements as needs  # noqa: E402 - rclpy has to be there
from lucca_cli.main import app  # noqa: E402
from lucca_lab.commands import bench_semantic, eval_forgetting  # noqa: E402


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch):
    """Makes a package one that is not installed."""

    def install(name: str) -> None:
        found = importlib.util.find_spec
        monkeypatch.setattr(needs, 'find_spec', lambda wanted: None if wanted == name else found(wanted))

    return install


def refuses_to_begin(*args: object, **kwargs: object) -> None:
    raise AssertionError('it began')


@pytest.mark.parametrize(
    ('package', 'words'),
    [
        ('matplotlib', ['eval', 'forgetting']),
        ('networkx', ['eval', 'forgetting']),
        ('matplotlib', ['eval', 'forgetting', 'train']),
        ('stable_baselines3', ['eval', 'forgetting', 'train']),
        ('matplotlib', ['eval', 'study', '--figure', 'f.png']),
        ('matplotlib', ['bench', 'semantic', '--figure', 'f.png']),
    ],
)
def test_a_package_that_is_missing_is_named_before_anything_is_done(missing, monkeypatch, tmp_path, package, words):
    monkeypatch.chdir(tmp_path)
    missing(package)
    for module, name in (
        (eval_forgetting, 'Contest'),
        (eval_forgetting, 'generate_split'),
        (bench_semantic, 'measure_semantic'),
    ):
        monkeypatch.setattr(module, name, refuses_to_begin)
    result = CliRunner().invoke(app, words)
    told = ' '.join(result.output.split())
    assert result.exit_code == 1, result.output
    assert package in told.partition(': pip install')[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    'words',
    [
        ['eval', 'locomo', '--data', '.', '--rankings', 'no/such/file'],
        ['eval', 'locomo', '--data', '.', '--cache', 'no/such/file'],
        ['eval', 'chats', '--cache', 'no/such/file'],
        ['eval', 'evolution', '--cache', 'no/such/file'],
        ['eval', 'forgetting', '--cache', 'no/such/file'],
        ['bench', 'semantic', '--figure', 'no/such/file.png'],
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_anything_is_done(monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1, result.output
    assert 'there is no folder no/such' in ' '.join(result.output.split())


@pytest.mark.parametrize('words', [['--split', 'nowhere'], ['--budget', '-1'], ['--budget', 'nan']])
def test_a_contest_that_cannot_be_is_said_before_it_begins(monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ['eval', 'forgetting', '--no-figures', *words])
    assert result.exit_code == 1, result.output
    assert not list(tmp_path.iterdir())
