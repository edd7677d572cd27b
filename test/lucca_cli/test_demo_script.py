from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from lucca_cli.demo_script import TABLES, _play, run_demo, succeeded, summarise
from lucca_cli.output import Output
from lucca_cli.stack import StackOptions
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult
from lucca_core.protocol.usage import ModelUsage

NEEDED = ('<move_to_box_1(apple)>', '<move_to_box_1(pear)>', '<move_to_box_2(cup)>')


@dataclass(frozen=True)
class Judged:
    """As a judge says."""

    complete: bool = True
    physical: bool | None = True
    repeated: int = 0
    order: bool = True
    faults: tuple[str, ...] = ()


class Judge:
    """Knows what one task needs; its judgements are the tests'."""

    def needed_actions(self, task: str) -> tuple[str, ...]:
        return NEEDED


GOOD = Judged()


def report_of(task: str, **changes: object) -> GoalResult:
    done = GoalResult(
        status='finished',
        task=task,
        said='',
        reason='',
        actions_done=NEEDED,
        coordinator=ModelUsage(model='embedded', calls=12, prompt_tokens=900),
        overhead_s=(0.004, 0.006, 0.020),
    )
    return replace(done, **changes)  # type: ignore[arg-type]


def summary_of(report: GoalResult, judgement: Judged = GOOD) -> dict:
    return summarise({report.task: report}, {report.task: judgement}, Judge(), 1, 12.34, 56.78)


def test_summary_of_a_good_run_succeeds():
    summary = summary_of(report_of('sorting'))
    assert succeeded(summary)
    task = summary['tasks']['sorting']
    assert (task['completed'], task['physical'], task['repeated'], task['missed']) == (True, True, 0, 0)
    assert summary['interruptions'] == 1
    assert (summary['wall_s'], summary['sim_s']) == (12.3, 56.8)


def test_overhead_is_given_in_milliseconds():
    overhead = summary_of(report_of('tower'))['overhead_ms_per_action']
    assert overhead['p50'] == pytest.approx(6.0)
    assert 6.0 < overhead['p99'] <= 20.0


def test_no_overhead_measured_is_none_and_not_zero():
    assert summary_of(report_of('tower', overhead_s=()))['overhead_ms_per_action'] is None


def test_tokens_and_calls_are_told_for_each_model():
    task = summary_of(report_of('sorting'))['tasks']['sorting']
    assert task['coordinator']['calls'] == 12
    assert task['coordinator']['prompt_tokens'] == 900
    assert task['worker']['calls'] == 0


def test_goal_that_did_not_finish_fails_the_demo():
    assert not succeeded(summary_of(report_of('sorting', status='suspended')))


def test_a_task_that_is_not_completed_has_its_status_and_reason():
    task = summary_of(report_of('sorting', status='refused', reason='which box?'))['tasks']['sorting']
    assert (task['completed'], task['status'], task['reason']) == (False, 'refused', 'which box?')


def test_a_task_that_ends_before_it_is_interrupted_does_not_keep_the_other_waiting():
    """A small language model refused the first task, and the demo waited for half of it for 15 minutes."""
    reports = {
        'sorting': report_of('sorting', status='refused', reason='which box?', actions_done=()),
        'tower': report_of('tower'),
    }

    def send_goal(request, on_feedback):
        return SimpleNamespace(ended=True, wait=lambda timeout_s, alive: reports[request.task])

    stack = SimpleNamespace(client=SimpleNamespace(send_goal=send_goal), alive=lambda: None)
    result = _play(TABLES[0], stack, Output(as_json=True))
    assert result.reports == reports
    assert result.interruptions == 0
    summary = summarise(result.reports, {}, None, result.interruptions, 1.0, 1.0)
    assert not succeeded(summary)


def test_action_done_twice_is_counted_and_fails_the_demo():
    summary = summary_of(report_of('sorting', actions_done=(*NEEDED, NEEDED[0])))
    assert summary['tasks']['sorting']['repeated'] == 1
    assert not succeeded(summary)


def test_repeat_that_the_log_counted_fails_the_demo():
    assert not succeeded(summary_of(report_of('sorting', repeated=1)))


def test_action_left_out_is_counted_and_fails_the_demo():
    summary = summary_of(report_of('sorting', actions_done=NEEDED[1:]))
    assert summary['tasks']['sorting']['missed'] == 1
    assert not succeeded(summary)


FAULT = 'support: apple lies still on nothing at 2.00 s'


@pytest.mark.parametrize(
    'judgement',
    [
        replace(GOOD, complete=False, faults=(FAULT,)),
        replace(GOOD, physical=False, faults=(FAULT,)),
        replace(GOOD, repeated=1, faults=(FAULT,)),
        replace(GOOD, order=False, faults=(FAULT,)),
        replace(GOOD, physical=None, faults=(FAULT,)),
    ],
    ids=['not complete', 'not physical', 'repeated', 'out of order', 'a jump without physics'],
)
def test_what_the_judge_denies_fails_the_demo_and_says_why(judgement):
    summary = summary_of(report_of('sorting'), judgement)
    assert not succeeded(summary)
    assert summary['tasks']['sorting']['faults'] == [FAULT]


def test_physics_that_nobody_can_judge_does_not_fail_the_demo():
    summary = summary_of(report_of('sorting'), replace(GOOD, physical=None))
    assert succeeded(summary)
    assert summary['tasks']['sorting']['physical'] is None


def test_without_a_judge_the_stack_s_own_word_counts_and_nothing_is_said_of_the_rest():
    report = report_of('sorting')
    unjudged = summarise({'sorting': report}, {}, None, 1, 1.0, 1.0)
    task = unjudged['tasks']['sorting']
    assert succeeded(unjudged)
    assert [task[key] for key in ('judged_complete', 'physical', 'in_order', 'missed')] == [None] * 4
    for bad in (replace(report, status='suspended'), replace(report, repeated=1)):
        assert not succeeded(summarise({'sorting': bad}, {}, None, 1, 1.0, 1.0))


def test_interruption_that_came_at_another_time_fails_the_demo():
    summary = summarise({}, {}, None, 0, 1.0, 1.0)
    assert not succeeded(summary)
    assert succeeded(summarise({}, {}, None, 0, 1.0, 1.0, interruptions_planned=0))


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    precious = tmp_path / 'thesis.tex'
    precious.write_text('all my work')
    with pytest.raises(StackError, match='holds no earlier demo'):
        run_demo(tmp_path, StackOptions(), Output(as_json=True))
    assert precious.read_text() == 'all my work'
