"""What a command needs is looked for before it begins."""

import importlib.util
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from lucca_cli import requirements as needs  # noqa: E402 - rclpy has to be there
from lucca_cli.main import app  # noqa: E402
from lucca_cli.requirements import require_packages, require_writable  # noqa: E402
from lucca_core.errors import ConfigError  # noqa: E402


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch):
    """Makes a package one that is not installed."""

    def install(name: str) -> None:
        found = importlib.util.find_spec
        monkeypatch.setattr(needs, 'find_spec', lambda wanted: None if wanted == name else found(wanted))

    return install


def test_a_package_that_is_missing_is_named_before_anything_is_done(missing, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    missing('networkx')
    result = CliRunner().invoke(app, ['memory', 'graph', '--out', 'g.graphml'])
    assert result.exit_code == 1, result.output
    assert 'networkx' in ' '.join(result.output.split()).partition(': pip install')[0]
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_told_before_anything_is_done(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ['memory', 'graph', '--out', 'no/such/file.json'])
    assert result.exit_code == 1, result.output
    assert 'there is no folder no/such' in ' '.join(result.output.split())


def test_what_is_there_is_enough(tmp_path: Path):
    require_packages('figures', 'json', 'rclpy')
    require_writable(None)
    require_writable(tmp_path / 'new')
    with pytest.raises(ConfigError, match='is a folder'):
        require_writable(tmp_path)
