import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lucca_cli import goal_runs
from lucca_cli.client import StackClient
from lucca_cli.goal_runs import RunResult, give, judged, run_goals
from lucca_cli.output import Output
from lucca_cli.stack import StackOptions
from lucca_cli.terminal import Terminal
from lucca_core.claim import STACK, Claim, domain_id
from lucca_core.errors import StackError
from lucca_core.protocol.goals import End, GoalRequest, GoalResult
from lucca_sim.scene import load_scene


def report_of(status: str, reason: str = '', actions: tuple[str, ...] = ()) -> GoalResult:
    return GoalResult(status=status, task='described', said='Here you are.', reason=reason, actions_done=actions)


def result_of(*reports: GoalResult, physical: bool | None = True, faults: tuple[str, ...] = ()) -> RunResult:
    return RunResult(
        completed=all(report.finished for report in reports),
        physical=physical,
        reports=reports,
        containers={'bowl': ['can']},
        faults=faults,
    )


def test_result_prints_what_machines_are_promised():
    told = result_of(report_of('finished', actions=('<place_in_bowl(can)>',))).as_json()
    assert {key: told[key] for key in ('completed', 'physical', 'actions', 'containers', 'said', 'reason')} == {
        'completed': True,
        'physical': True,
        'actions': ['<place_in_bowl(can)>'],
        'containers': {'bowl': ['can']},
        'said': 'Here you are.',
        'reason': '',
    }


def test_finished_goal_succeeds_where_nobody_can_judge_it():
    assert result_of(report_of('finished'), physical=None).succeeded


@dataclass
class FakeJudge:
    """Says the same of every run."""

    physical: bool | None
    faults: tuple[str, ...] = ()

    def judge_run(self, trace, scene, claimed, robot):
        assert (claimed, robot) == ({'bowl': ['can']}, 'mine.yaml')
        return self


@pytest.mark.parametrize(
    ('judge', 'end', 'code', 'sentence'),
    [
        (FakeJudge(physical=True), End.DONE, 0, 'complete, and the physics agrees'),
        (FakeJudge(physical=None), End.DONE, 0, 'complete'),
        (FakeJudge(physical=None, faults=('bowl holds [], not [can]',)), End.FAILED, 1, 'bowl holds [], not [can]'),
        (FakeJudge(physical=False, faults=('jump: can',)), End.FAILED, 1, 'jump: can'),
    ],
    ids=['physics', 'none', 'none, and elsewhere than told', 'broken'],
)
def test_physics_agrees_only_where_there_was_some_and_faults_count_everywhere(judge, end, code, sentence, capsys):
    unjudged = result_of(report_of('finished'), physical=None)
    result = judged(unjudged, judge, Path('trace.npz'), load_scene('table', 0), Output(), robot='mine.yaml')
    assert (result.physical, result.end, result.exit_code, result.sentence()) == (judge.physical, end, code, sentence)
    assert result.as_json()['physical'] is judge.physical
    assert ('the physics is not judged' in capsys.readouterr().out) is (judge.physical is None)


def test_finished_goal_that_the_physics_denies_does_not_succeed():
    result = result_of(report_of('finished'), physical=False, faults=('bowl holds [], not [can]',))
    assert not result.succeeded
    assert 'bowl holds' in result.sentence()
    assert 'bowl holds' in result.as_json()['reason']


def test_refused_goal_cannot_be_done_and_its_reason_is_told():
    result = result_of(report_of('refused', reason='there is no elephant'))
    assert result.cannot
    assert not result.succeeded
    assert result.sentence() == 'there is no elephant'


def test_goal_that_failed_half_way_is_not_one_that_cannot_be_done():
    assert not result_of(report_of('failed', reason='unreachable', actions=('<point(can)>',))).cannot


@dataclass
class FakeClient:
    """Answers goals from a list."""

    reports: list[GoalResult]
    sent: list[GoalRequest] = field(default_factory=list)

    def send_goal(self, request, on_feedback=None):
        self.sent.append(request)
        return self

    def wait(self, timeout_s=None, alive=None):
        return self.reports.pop(0)

    def cancel(self):
        raise AssertionError('nobody asked for its end')


def at_terminal(*lines: str, stops: Callable[[], None] = lambda: None) -> Terminal:
    return Terminal(stops, Output(), may_ask=True, source=io.StringIO('\n'.join(lines)))


WAITS = GoalResult(status='suspended', task='lunch', said='Shall I?', reason='', to_confirm='give(pear)')


def test_a_yes_at_the_terminal_goes_on_with_the_task_and_that_call_confirmed(capsys):
    client = FakeClient([WAITS, report_of('finished')])
    with at_terminal('y') as terminal:
        reports = give([GoalRequest(text='lunch, please', restart=True)], client, Output(), None, terminal)
    assert [report.status for report in reports] == ['finished']
    assert 'Shall the robot do give(pear)?' in capsys.readouterr().err
    assert client.sent[1] == GoalRequest(task='lunch', confirmed='give(pear)')


def test_without_a_yes_nothing_more_is_asked_of_the_robot(capsys):
    for typed in ((), ('no',), ('',)):
        client = FakeClient([WAITS])
        with at_terminal(*typed) as terminal:
            assert give([GoalRequest(task='lunch')], client, Output(), None, terminal) == (WAITS,)
        assert len(client.sent) == 1
        assert '--confirm "give(pear)"' in capsys.readouterr().out


def test_nothing_more_is_asked_of_a_robot_that_was_stopped():
    stops: list[bool] = []
    client = FakeClient([report_of('finished')])
    with at_terminal('Stop!', stops=lambda: stops.append(True)) as terminal:
        assert give([GoalRequest(task='lunch'), GoalRequest(task='tea')], client, Output(), None, terminal) == ()
    assert stops == [True]
    assert client.sent == []


@pytest.mark.parametrize(
    ('statuses', 'how', 'code'),
    [
        (['finished'], {}, 0),
        (['finished'], {'stopped': True}, 4),
        (['finished', 'suspended'], {}, 4),
        (['suspended'], {'interrupted': True}, 130),
        (['cancelled'], {}, 4),
        (['cancelled'], {'interrupted': True}, 130),
        (['cancelled'], {'stopped': True}, 4),
        (['failed'], {}, 1),
        ([], {'stopped': True}, 4),
    ],
)
def test_the_exit_code_of_a_run_is_that_of_how_its_last_goal_ended(statuses, how, code):
    assert replace(result_of(*map(report_of, statuses), physical=None), **how).exit_code == code


def test_what_was_refused_after_something_was_done_failed():
    assert result_of(report_of('refused', actions=('<point(can)>',)), physical=None).exit_code == 1
    assert result_of(report_of('refused'), physical=None).exit_code == 3


def test_a_finished_run_that_the_physics_denies_failed():
    assert result_of(report_of('finished'), physical=False).exit_code == 1


@pytest.mark.ros
def test_a_stack_that_runs_and_does_not_answer_is_not_called_none(monkeypatch, tmp_path):
    for name in ('_LOOK_S', '_PATIENCE_S'):
        monkeypatch.setattr(f'lucca_cli.client.{name}', 0.2)
    monkeypatch.setattr(goal_runs, 'Stack', lambda *_, **__: pytest.fail('a simulation was started'))
    with StackClient() as client:
        claim = Claim(STACK, domain_id(), client.node.get_namespace())
    try:
        with pytest.raises(StackError, match=rf'process {os.getpid()} .*is running .*but no coordinator answers'):
            run_goals([GoalRequest(task='tower')], StackOptions(), tmp_path / 'out', Output())
    finally:
        claim.release()
