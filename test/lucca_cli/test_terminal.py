"""Who sits at a command while the robot works."""

import io
import threading

import pytest

from lucca_cli import terminal as module
from lucca_cli.exit_codes import code_of
from lucca_cli.output import Output
from lucca_cli.terminal import Terminal, TypedStop
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult
from lucca_core.stop_command import STOP_WORDS


def report(status: str) -> GoalResult:
    return GoalResult(status=status, task='sorting', said='', reason='')


class Goal:
    """Ends by itself, by a stop, or only when it is cancelled."""

    def __init__(self, *, ends_by: threading.Event | None = None, interrupted: bool = False) -> None:
        self._ends_by = ends_by
        self._interrupted = interrupted
        self.cancelled = False

    def wait(self, timeout_s=None, alive=None) -> GoalResult:
        if self.cancelled:
            return report('cancelled')
        if self._interrupted:
            raise KeyboardInterrupt
        while self._ends_by is not None and not self._ends_by.wait(0.01):
            if alive is not None:
                alive()
        return report('finished' if self._ends_by is None else 'suspended')

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.parametrize('word', STOP_WORDS)
def test_each_stop_word_stops_the_robot_while_its_goal_is_waited_for(word):
    stopped = threading.Event()
    with Terminal(stopped.set, Output(), source=io.StringIO(f'hello\n{word.upper()}!\n')) as terminal:
        assert terminal.wait(Goal(ends_by=stopped)).status == 'suspended'
        assert terminal.stopped


def test_other_words_stop_nothing():
    with Terminal(lambda: pytest.fail('stopped'), Output(), source=io.StringIO('hello\nstopper\n')) as terminal:
        assert terminal.wait(Goal()).status == 'finished'
        assert not terminal.stopped


def test_a_goal_that_a_stop_does_not_end_is_cancelled(monkeypatch):
    monkeypatch.setattr(module, '_ENDS_S', 0.0)
    goal = Goal(ends_by=threading.Event())
    stop = TypedStop(lambda: None, Output())
    stop.say()
    assert stop.wait(goal) == (report('cancelled'), False)
    assert goal.cancelled


def test_a_stop_that_nobody_answers_is_said_and_cancels_the_goal(monkeypatch, capsys):
    monkeypatch.setattr(module, '_ENDS_S', 0.0)

    def nobody() -> None:
        raise StackError('action/stop: nobody answered; use the hardware stop')

    goal = Goal(ends_by=threading.Event())
    with Terminal(nobody, Output(), source=io.StringIO('stop')) as terminal:
        terminal.wait(goal)
    assert goal.cancelled
    assert 'use the hardware stop' in capsys.readouterr().err


def test_ctrl_c_cancels_the_goal_and_is_remembered():
    goal = Goal(interrupted=True)
    with Terminal(lambda: None, Output(), source=io.StringIO('')) as terminal:
        assert terminal.wait(goal).status == 'cancelled'
        assert terminal.interrupted


def test_a_stop_in_place_of_an_answer_is_a_stop_and_no_yes():
    stopped = threading.Event()
    with Terminal(stopped.set, Output(), may_ask=True, source=io.StringIO('stop\ny\n')) as terminal:
        assert not terminal.agrees('give(pear)')
    assert stopped.is_set()


def test_nobody_is_asked_who_cannot_answer(capsys):
    with Terminal(lambda: None, Output(), source=io.StringIO('y\n')) as terminal:
        assert not terminal.agrees('give(pear)')
    assert capsys.readouterr().err == ''


@pytest.mark.parametrize(
    ('status', 'code'), [('finished', 0), ('failed', 1), ('refused', 3), ('suspended', 4), ('cancelled', 4), ('odd', 1)]
)
def test_each_status_has_an_exit_code_and_a_stop_is_never_0(status, code):
    assert code_of(status) == code
    assert code_of(status, stopped=True) == 4
    assert code_of(status, interrupted=True) == (0 if status == 'finished' else 130)
