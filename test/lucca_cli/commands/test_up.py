"""`lucca up --attach`: a stack that runs is used, and one is started only where none does."""

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Self

import pytest

pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from typer.testing import CliRunner, Result  # noqa: E402 - rclpy has to be there

from lucca_cli.client import StackClient  # noqa: E402
from lucca_cli.commands import up as command  # noqa: E402
from lucca_cli.exit_codes import EXIT_FAILED  # noqa: E402
from lucca_cli.main import app  # noqa: E402
from lucca_core.claim import STACK, Claim, domain_id  # noqa: E402
from lucca_core.protocol.snapshots import Pose, Snapshot, TableObject  # noqa: E402

SEEN = Snapshot(
    objects=(
        TableObject(object_id='1', name='pear', label='pear', pose_world=Pose((0.4, 0.3, 0.8)), size_m=(0.06,) * 3),
    )
)


class FakeStack:
    """A stack that starts no node and ends at once."""

    first_snapshot = SEEN
    supervisor = SimpleNamespace(wait=lambda: None)
    client = None
    started = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Self:
        type(self).started += 1
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> type[FakeStack]:
    monkeypatch.setattr(FakeStack, 'started', 0)
    monkeypatch.setattr(command, 'Stack', FakeStack)
    return FakeStack


@pytest.fixture
def running() -> Iterator[None]:
    """This process holds the claim of a stack, as `lucca up` does."""
    claim = Claim(STACK, domain_id(), '/')
    yield
    claim.release()


def attach() -> Result:
    return CliRunner().invoke(app, ['up', '--attach'], env={'COLUMNS': '200'})


def test_a_stack_that_runs_is_used_once_it_is_ready(
    stack: type[FakeStack], running: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits_s = list[float]()
    monkeypatch.setattr(StackClient, 'wait_ready', lambda self, timeout_s: waits_s.append(timeout_s) or SEEN)
    result = attach()
    assert result.exit_code == 0, result.output
    assert f'using the running stack: process {os.getpid()} on ' in result.output
    assert command.READY in result.output
    assert 'pear' in result.output
    assert waits_s == [command.ATTACH_S]
    assert stack.started == 0


def test_where_none_runs_one_is_started(stack: type[FakeStack]) -> None:
    result = attach()
    assert result.exit_code == 0, result.output
    assert 'starting the stack' in result.output
    assert 'using the running stack' not in result.output
    assert stack.started == 1


def test_a_stack_that_does_not_become_ready_is_an_error_that_names_what_is_missing(
    stack: type[FakeStack], running: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, 'ATTACH_S', 0.1)
    result = attach()
    assert result.exit_code == EXIT_FAILED, result.output
    assert 'the stack is not ready after 0.1 s: the coordinator (execute_task) is missing' in result.output
    assert command.READY not in result.output
    assert stack.started == 0
