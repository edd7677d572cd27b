"""`lucca eval perception`: what is wrong is said before anything is rendered."""

import pytest
import typer
from typer.testing import CliRunner

from lucca_lab.commands.eval_perception import perception


@pytest.mark.parametrize(
    ('words', 'code', 'reason'),
    [
        (('--detector', 'yolo:x'), 1, 'detector must be prototypes, owlvit:MODEL'),
        (('--detector', 'owlv2:/nowhere/model'), 1, "'/nowhere/model' is not a model folder"),
        (('--seed', '-1'), 2, 'seed 0 or more'),
        (('--scenes', '0'), 2, 'scenes must be 1 or more'),
    ],
)
def test_what_is_wrong_is_said(tmp_path, words, code, reason):
    app = typer.Typer()
    app.command()(perception)
    result = CliRunner().invoke(app, ['--out', str(tmp_path / 'run'), '--sequences', '0', *words])
    assert result.exit_code == code
    assert reason in ' '.join(result.output.split())
