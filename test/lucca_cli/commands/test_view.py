"""`lucca view --export`: which robot is drawn. The export itself needs Rerun, and is replaced."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

pytest.importorskip('mcap')

import recorded_session as session

from lucca_cli.commands import view
from lucca_cli.main import app


@pytest.mark.parametrize(
    ('recorded', 'options', 'drawn'),
    [('nicol', [], True), ('../x', [], False), ('nobody', [], False), ('../x', ['--robot', 'nicol'], True)],
)
def test_a_robot_that_is_unknown_is_left_out_and_no_other_one_stands_in(
    recorded, options, drawn, tmp_path, monkeypatch
):
    robots = []
    export = SimpleNamespace(write_rerun=lambda events, robot, out: robots.append(robot) or len(list(events)))
    monkeypatch.setitem(sys.modules, 'lucca_view.rerun_export', export)
    monkeypatch.setattr(view, 'require_packages', lambda *_: None)
    monkeypatch.setattr(session, 'INFO', replace(session.INFO, robot=recorded))
    session.write(tmp_path / 's.mcap')
    result = CliRunner().invoke(app, ['view', str(tmp_path / 's.mcap'), '--export', str(tmp_path / 's.rrd'), *options])
    assert result.exit_code == 0
    assert ('is not used' in ' '.join(result.output.split())) is not drawn
    assert [robot is not None for robot in robots] == [drawn]
