import json

import pytest
from typer.testing import CliRunner

from lucca_lab.commands.groups import eval_app


@pytest.fixture
def evaluate():
    return lambda *words: CliRunner().invoke(eval_app, list(map(str, words)))


def test_a_small_grid_runs_reports_and_draws_anew(evaluate, tmp_path):
    pytest.importorskip('matplotlib')
    out = tmp_path / 'run'
    words = ('tasks', '--seed', 1, '--trials', 1, '--mode', 'consecutive', '--out', out, '--processes', 1)
    result = evaluate(*words)
    assert result.exit_code == 0, result.output
    summary = json.loads((out / 'summary.json').read_text())
    assert {(cell['memory'], cell['success'], cell['task_retention']) for cell in summary['cells']} == {
        (False, 1.0, 1.0),
        (True, 1.0, 1.0),
    }
    assert summary['ungated_actions'] == 0
    (out / 'report.md').unlink()
    assert evaluate('report', out).exit_code == 0
    assert (out / 'report.md').exists()


@pytest.mark.parametrize(
    ('words', 'reason'),
    [
        (('--suite', 'dancing'), 'there is no suite'),
        (('--overflow', 'ignore'), 'there is no overflow'),
        (('--coordinator', 'oracle'), 'is no model spec'),
        (('--faults', 'none-such'), 'there is no fault profile'),
    ],
)
def test_what_is_wrong_is_said(evaluate, tmp_path, words, reason):
    result = evaluate('tasks', '--trials', 1, '--processes', 1, '--out', tmp_path / 'run', *words)
    assert result.exit_code != 0
    assert reason in ' '.join(result.output.split())


def test_the_study_prints_what_does_not_follow(evaluate):
    result = evaluate('study')
    assert result.exit_code == 0
    assert 'does not follow' in ' '.join(result.output.split())


def test_a_session_needs_a_participant(evaluate):
    assert evaluate('study', 'session').exit_code == 2
