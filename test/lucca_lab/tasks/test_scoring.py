import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.interfaces import TaskResult
from lucca_core.protocol.goals import Status
from lucca_lab.judge.truth import ExpectedOutcome
from lucca_lab.symbolic_table import SymbolicTable, sample_objects
from lucca_lab.tasks.scoring import RetentionQuestion, is_complete, questions, retention, scored, wilson
from lucca_memory.procedural import load_actions, load_tasks

ACTIONS = load_actions()
TRUTH = ExpectedOutcome(groups=(frozenset({'<a(x)>'}), frozenset({'<a(y)>'})), places={})
FINISHED, FAILED = (TaskResult(status=status) for status in (Status.FINISHED, Status.FAILED))


@given(st.integers(1, 500), st.data())
def test_the_interval_holds_the_rate_and_narrows_with_trials(trials, data):
    successes = data.draw(st.integers(0, trials))
    low, high = wilson(successes, trials)
    assert 0.0 <= low <= successes / trials + 1e-12
    assert successes / trials - 1e-12 <= high <= 1.0
    more = wilson(10 * successes, 10 * trials)
    assert more[1] - more[0] < high - low


def test_wilsons_own_figures():
    assert wilson(50, 50) == pytest.approx((0.9287, 1.0), abs=1e-4)
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 500), st.sampled_from((1.959964, 3.0)))
def test_the_interval_ends_at_exactly_0_and_1(trials, z):
    assert wilson(trials, trials, z)[1] == 1.0
    assert wilson(0, trials, z)[0] == 0.0


@pytest.mark.parametrize(
    ('performed', 'result', 'complete'),
    [
        (['<a(x)>', '<a(y)>'], FINISHED, True),
        (['<a(x)>', '<a(y)>'], FAILED, False),
        (['<a(y)>', '<a(x)>'], FINISHED, False),
        (['<a(x)>'], FINISHED, False),
        (['<a(x)>', '<a(x)>', '<a(y)>'], FINISHED, False),
        (['<a(x)>', '<a(y)>', '<a(z)>'], FINISHED, False),
    ],
)
def test_complete_is_every_action_once_in_order_and_said_to_be_the_end(performed, result, complete):
    assert is_complete(TRUTH, performed, [result]) is complete


class Sink:
    def record(self, request):
        return 1


def table_with(*objects, containers=()):
    return SymbolicTable(sample_objects(objects), containers, ACTIONS, Sink())


def test_every_place_of_a_task_and_the_table_are_asked_about():
    table = table_with('pear', 'cup', 'ball', containers=('box 1', 'box 2'))
    table.put('pear', 'box 1')
    asked = questions(load_tasks()['sorting'], dict(ACTIONS), table)
    assert [(item.text, set(item.truth)) for item in asked] == [
        ('Which objects are in box 1?', {'pear'}),
        ('Which objects are in box 2?', set()),
        ('Which objects are left on the table?', {'cup', 'ball'}),
    ]


def test_what_was_pointed_at_is_asked_about():
    table = table_with('pear', 'cup')
    table.performed += ['<point(cup)>']
    asked = questions(load_tasks()['pointing'], dict(ACTIONS), table)
    assert [set(item.truth) for item in asked] == [{'cup'}, {'pear', 'cup'}]


@pytest.mark.parametrize(
    ('answer', 'exact'),
    [
        ('pear, cup', True),
        ('Cup, pear.', True),
        ('pear', False),
        ('pear, cup, ball', False),
        ('I do not know', False),
        ('', False),
    ],
)
def test_an_answer_is_exact_or_wrong(answer, exact):
    table = table_with('pear', 'cup', 'ball')
    assert scored(RetentionQuestion('?', frozenset({'pear', 'cup'})), answer, table).exact is exact


def test_retention_is_the_share_of_exact_answers_of_its_kind():
    table = table_with('pear')
    answers = [
        scored(RetentionQuestion('?', frozenset({'pear'})), 'pear', table),
        scored(RetentionQuestion('?', frozenset()), 'pear', table),
        scored(RetentionQuestion('?', frozenset(), about_environment=True), 'none', table),
    ]
    assert retention(answers, environment=False) == 0.5
    assert retention(answers, environment=True) == 1.0
    assert retention([], environment=True) == 0.0
