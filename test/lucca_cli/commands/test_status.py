"""`lucca status`: what it asks of a stack, and what it says of parts that do not answer."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from typer.testing import CliRunner

from lucca_cli.commands import status
from lucca_cli.main import app
from lucca_core.errors import MemoryFault, StackError
from lucca_core.protocol.prohibitions import Prohibition, ProhibitionRequest, ProhibitionsAnswer
from lucca_core.protocol.tasks import TaskState

KEPT = Prohibition(what='fruit', place='box 1', person='Ana', said_at=datetime(2026, 11, 28, 1, 2, tzinfo=UTC))
SORTING = TaskState(task='sorting', description='', status='running', actions_done=('a',), left=('pear',))


class Stack:
    """A stack whose parts answer, or raise what stands in `faults`."""

    def __init__(self) -> None:
        self.kept: tuple[Prohibition, ...] = ()
        self.faults: dict[str, Exception] = {}

    def __enter__(self) -> 'Stack':
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def _answer(self, name: str, answer: Any) -> Any:
        if name in self.faults:
            raise self.faults[name]
        return answer

    def require_stack(self) -> None:
        self._answer('stack', None)

    def tasks(self, timeout_s: float) -> Any:
        return self._answer('tasks', (SORTING,))

    def said_by(self, node: str, timeout_s: float) -> Any:
        if node == 'coordinator':
            return self._answer('coordinator', 'running sorting')
        if node == 'worker':
            return self._answer('memory', 'only 3 MB are free')
        return self._answer('arms', 'stopped; waiting for action/reset')

    def prohibitions(self, request: ProhibitionRequest, timeout_s: float, patience_s: float) -> Any:
        assert request == ProhibitionRequest()
        return self._answer('prohibitions', ProhibitionsAnswer(prohibitions=self.kept))


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Stack:
    found = Stack()
    monkeypatch.setattr(status, 'StackClient', lambda: found)
    return found


def told(*arguments: str) -> Any:
    return CliRunner().invoke(app, ['status', *arguments], env={'COLUMNS': '200'})


def test_it_says_what_is_done_how_the_arms_are_and_what_is_prohibited_by_whom(stack: Stack) -> None:
    stack.kept = (KEPT,)
    done = told()
    assert done.exit_code == 0
    assert 'sorting: 1 done, 1 to go' in done.output
    assert 'arms: stopped; waiting for action/reset' in done.output
    assert 'memory: only 3 MB are free' in done.output
    for words in ('do not put fruit in box 1', 'Ana', '2026-11-28 01:02 UTC', 'you may put fruit in box 1 again'):
        assert words in done.output
    found = json.loads(told('--json').output)
    assert [task['task'] for task in found['tasks']] == ['sorting']
    assert found['prohibitions'] == [
        {
            'what': 'fruit',
            'place': 'box 1',
            'person': 'Ana',
            'said_at': '2026-11-28T01:02:00+00:00',
            'how_to_lift': 'you may put fruit in box 1 again',
        }
    ]
    assert found['memory'] == 'only 3 MB are free'
    assert found['unknown'] == {}


def test_that_nothing_is_prohibited_is_said_only_if_it_is_known(stack: Stack) -> None:
    assert 'nothing is prohibited' in told().output


@pytest.mark.parametrize('fault', [StackError('no action node is running'), MemoryFault('the file cannot be read')])
def test_what_is_not_known_is_said_to_be_unknown_and_ends_with_1(fault: Exception, stack: Stack) -> None:
    stack.faults = {'prohibitions': fault, 'arms': StackError('diagnostics: nothing published')}
    done = told()
    assert done.exit_code == 1
    assert 'nothing is prohibited' not in done.output
    assert f'it is not known what is prohibited: {fault}' in done.output
    assert 'it is not known how the arms are: diagnostics' in done.output
    assert 'sorting' in done.output
    done = told('--json')
    assert done.exit_code == 1
    found = json.loads(done.output)
    assert (found['prohibitions'], found['arms']) == (None, None)
    assert found['unknown']['prohibitions'] == str(fault)


def test_without_a_stack_it_says_so(stack: Stack) -> None:
    stack.faults = {'stack': StackError('no stack is running')}
    done = told()
    assert done.exit_code != 0
    assert isinstance(done.exception, StackError | SystemExit)
