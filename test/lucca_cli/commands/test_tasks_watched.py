"""`lucca tasks --watch`: what changes is shown as it changes."""

import json
from typing import Any, Self

import pytest
from typer.testing import CliRunner

pytest.importorskip('rclpy')

from lucca_cli.commands import tasks as command
from lucca_cli.main import app
from lucca_core.errors import StackError
from lucca_core.protocol.tasks import TaskState

NEW = (TaskState(task='sorting', description='Sort.'),)
BEGUN = (TaskState(task='sorting', description='Sort.', status='running', actions_done=('<move_to_box_1(pear)>',)),)


class FakeClient:
    """A stack whose worker answers these in turn; then Ctrl-C is pressed."""

    answers: list[tuple[TaskState, ...] | StackError]
    asked_twice = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def require_stack(self) -> None:
        pass

    def wait(self, timeout_s: float) -> None:
        pass

    def tasks(self, timeout_s: float) -> tuple[TaskState, ...]:
        if not self.answers:
            raise KeyboardInterrupt
        answer = self.answers.pop(0)
        if isinstance(answer, StackError):
            raise answer
        if any(item.status == 'running' for item in answer) and not self.asked_twice:
            self.answers.insert(0, answer)  # asked again once the coordinator has said what it does
        self.asked_twice = not self.asked_twice and any(item.status == 'running' for item in answer)
        return answer

    def said_by(self, node: str, timeout_s: float) -> str:
        return 'running sorting'


def watched(monkeypatch: pytest.MonkeyPatch, *answers: Any, json_lines: bool = False) -> str:
    monkeypatch.setattr(command, 'StackClient', FakeClient)
    monkeypatch.setattr(FakeClient, 'answers', list(answers), raising=False)
    done = CliRunner().invoke(app, ['tasks', '--watch', *(['--json'] if json_lines else [])], env={'COLUMNS': '200'})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_tasks_are_shown_again_only_where_they_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = watched(monkeypatch, NEW, NEW, BEGUN, BEGUN)
    assert shown.count('sorting') == 2
    assert shown.index('new') < shown.index('running') < shown.index('move_to_box_1(pear)')


def test_a_worker_that_does_not_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = watched(monkeypatch, NEW, StackError('service /memory/tasks is not available'), NEW)
    assert 'the tasks are not known now: service /memory/tasks is not available' in shown
    assert shown.count('sorting') == 2


def test_for_machines_each_change_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = watched(monkeypatch, NEW, NEW, BEGUN, json_lines=True).splitlines()
    assert [json.loads(line)[0]['status'] for line in lines] == ['new', 'running']
