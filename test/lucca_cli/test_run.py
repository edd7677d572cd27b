from dataclasses import dataclass, field

from lucca_cli.reports import GoalReport, GoalRequest
from lucca_cli.run import RunResult, give
from lucca_cli.show import Show


def report_of(status: str, reason: str = '', actions: tuple[str, ...] = ()) -> GoalReport:
    return GoalReport(status=status, task='described', said='Here you are.', reason=reason, actions_done=actions)


def result_of(*reports: GoalReport, physical: bool | None = True, faults: tuple[str, ...] = ()) -> RunResult:
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

    reports: list[GoalReport]
    sent: list[GoalRequest] = field(default_factory=list)

    def send_goal(self, request, on_feedback=None):
        self.sent.append(request)
        return self

    def wait(self, timeout_s=None, alive=None):
        return self.reports.pop(0)


WAITS = GoalReport(status='suspended', task='lunch', said='Shall I?', reason='', to_confirm='give(pear)')


def test_a_yes_at_the_terminal_goes_on_with_the_task_and_that_call_confirmed():
    asked: list[str] = []
    client = FakeClient([WAITS, report_of('finished')])

    def yes(call: str) -> bool:
        asked.append(call)
        return True

    reports = give([GoalRequest(text='lunch, please', restart=True)], client, Show(), None, yes)
    assert [report.status for report in reports] == ['finished']
    assert asked == ['give(pear)']
    assert client.sent[1] == GoalRequest(task='lunch', confirmed='give(pear)')


def test_without_a_yes_nothing_more_is_asked_of_the_robot(capsys):
    for ask in (None, lambda call: False):
        client = FakeClient([WAITS])
        assert give([GoalRequest(task='lunch')], client, Show(), None, ask) == (WAITS,)
        assert len(client.sent) == 1
        assert '--confirm "give(pear)"' in capsys.readouterr().out
