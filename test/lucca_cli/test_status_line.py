"""The status line of `lucca up` says what the robot is at, where somebody looks."""

import io
import threading

from rich.console import Console

from lucca_cli.output import Output
from lucca_cli.status_line import status_line, status_text
from lucca_core.errors import StackError
from lucca_core.protocol.tasks import TaskState

SORTING = TaskState(task='sorting', description='', status='running', actions_done=('a', 'b'), left=('pear',))
TOWER = TaskState(task='tower', description='', status='suspended')
RECIPE = TaskState(task='recipe', description='', status='finished', undone=('<give(jello)>',))


def test_it_tells_what_runs_waits_and_is_undone():
    assert status_text(()) == 'nothing is being done'
    assert status_text((SORTING, TOWER, RECIPE)) == (
        'sorting: 2 done, 1 to go · suspended: tower · no longer so: recipe'
    )


class Client:
    """A worker that answers twice, before and after the coordinator is asked, and then never."""

    def __init__(self):
        self.asked, self.again = 0, threading.Event()

    def tasks(self, timeout_s=8.0):
        self.asked += 1
        if self.asked > 2:
            self.again.set()
            raise StackError('the worker is gone')
        return (SORTING,)

    def said_by(self, node, timeout_s):
        return 'running sorting'


def shown_in(console, client, until):
    show = Output()
    show.console = console
    with status_line(show, client):
        until()
    return console.file.getvalue()


def test_it_goes_on_while_the_worker_is_gone():
    client = Client()

    def until():
        assert client.again.wait(30.0)

    shown = shown_in(Console(file=io.StringIO(), force_terminal=True, width=80), client, until)
    assert 'sorting: 2 done, 1 to go' in shown
    assert 'the worker does not answer' in shown


def test_in_a_file_there_is_none():
    client = Client()
    assert shown_in(Console(file=io.StringIO()), client, lambda: None) == ''
    assert client.asked == 0
