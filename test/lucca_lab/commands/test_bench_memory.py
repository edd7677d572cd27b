"""`lucca bench memory`: built once, measured again, and honest about what it was compared with."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app

SMALL = ['bench', 'memory', '--turns', '300', '--people', '3', '--questions', '6']


class NotInstalled:
    name = 'lancedb'

    def installed(self) -> bool:
        return False


@pytest.fixture(autouse=True)
def no_rivals(monkeypatch):
    for module in ('lucca_lab.bench.memory_scale', 'lucca_lab.commands.bench_memory'):
        monkeypatch.setattr(f'{module}.RIVALS', (NotInstalled(),))


def run(*more: str):
    return CliRunner().invoke(app, [*SMALL, *more])


def test_without_another_store_it_says_that_nothing_was_compared():
    result = run()
    assert result.exit_code == 0, result.output
    assert 'no comparison: neither LanceDB nor Chroma is installed' in ' '.join(result.output.split())


def test_a_folder_is_built_once_and_of_other_options_refused(tmp_path: Path):
    first = json.loads(run('--folder', str(tmp_path), '--json').stdout)
    again = run('--folder', str(tmp_path), '--json')
    assert json.loads(again.stdout)['build_s'] == first['build_s']
    other = run('--folder', str(tmp_path), '--seed', '1')
    assert other.exit_code == 1
    assert 'was built with other options' in ' '.join(other.output.split())


def test_what_was_not_built_to_its_end_is_not_measured(tmp_path: Path):
    (tmp_path / 'lucca').mkdir()
    result = run('--folder', str(tmp_path))
    assert result.exit_code == 1
    assert 'was not built to its end' in ' '.join(result.output.split())
