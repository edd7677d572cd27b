"""A task that no coordinator carries out any more is not shown as running."""

from dataclasses import replace

import pytest

from lucca_cli.status_line import status_text
from lucca_cli.tasks_at_work import tasks_at_work
from lucca_core.errors import StackError
from lucca_core.protocol.tasks import TaskState

SORTING = TaskState(task='sorting', description='', status='running')
TOWER = TaskState(task='tower', description='', status='suspended')


class Stack:
    """A worker that answers these in turn, the last one ever after, and a coordinator that says what it does."""

    def __init__(self, *answers, doing):
        self.answers, self.doing = list(answers), doing

    def tasks(self, timeout_s):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def said_by(self, node, timeout_s):
        assert node == 'coordinator'
        if self.doing is None:
            raise StackError('nothing published')
        return self.doing


@pytest.mark.parametrize(
    ('doing', 'status'),
    [
        ('running sorting', 'running'),
        ('running ', 'running'),
        ('idle', 'interrupted'),
        ('running tower', 'interrupted'),
        (None, 'interrupted'),
    ],
    ids=['at it', 'reading', 'started again', 'at another', 'gone'],
)
def test_a_task_runs_only_while_the_coordinator_is_at_it(doing, status):
    found = tasks_at_work(Stack((SORTING, TOWER), doing=doing))
    assert [item.status for item in found] == [status, 'suspended']
    assert ('interrupted, as nobody reports working on it: sorting' in status_text(found)) == (status == 'interrupted')


def test_a_goal_that_ended_meanwhile_is_not_interrupted():
    (found,) = tasks_at_work(Stack((SORTING,), (replace(SORTING, status='finished'),), doing='idle'))
    assert found.status == 'finished'


def test_a_coordinator_is_not_asked_while_nothing_runs():
    assert tasks_at_work(Stack((TOWER,), doing=None)) == (TOWER,)
