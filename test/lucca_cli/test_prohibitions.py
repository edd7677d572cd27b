"""`lucca prohibitions`: what it asks of the action node, and what it prints."""

import json
import os
from typing import Any

import pytest
from typer.testing import CliRunner

from lucca_cli.commands import prohibitions
from lucca_cli.main import app
from lucca_core.errors import MemoryFault
from lucca_core.namespace import NAMESPACE
from lucca_core.protocol.prohibitions import (
    EVERY_PLACE,
    Prohibition,
    ProhibitionChange,
    ProhibitionRequest,
    ProhibitionsAnswer,
)

KEPT = Prohibition(what='fruit', place='box 1', person='Ana')


class FakeClient:
    asked: list[ProhibitionRequest]
    fault: Exception | None

    def __enter__(self) -> 'FakeClient':
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def prohibitions(self, request: ProhibitionRequest) -> ProhibitionsAnswer:
        self.asked.append(request)
        if self.fault is not None:
            raise self.fault
        return ProhibitionsAnswer(prohibitions=(KEPT,), changed=(KEPT,) if request.change else ())


@pytest.fixture(autouse=True)
def client(monkeypatch: pytest.MonkeyPatch) -> type[FakeClient]:
    FakeClient.asked, FakeClient.fault = [], None
    monkeypatch.setattr(prohibitions, 'StackClient', FakeClient)
    return FakeClient


def lucca(*arguments: str) -> Any:
    return CliRunner().invoke(prohibitions.app, list(arguments))


@pytest.mark.parametrize('arguments', [(), ('list',)])
def test_it_lists_what_is_prohibited_and_how_to_lift_it(arguments: tuple[str, ...], client: Any) -> None:
    shown = ' '.join(lucca(*arguments).output.split())
    assert 'Ana' in shown
    assert client.asked == [ProhibitionRequest()]
    listed = json.loads(lucca(*arguments, '--json').output)
    assert [(item['what'], item['place'], item['person']) for item in listed] == [('fruit', 'box 1', 'Ana')]


def test_it_adds_and_lifts(client: Any) -> None:
    assert lucca('add', 'fruit', '--in', 'box 1', '--person', 'Ana').output.startswith('Prohibited: do not put fruit')
    assert lucca('lift', 'fruit').output.startswith('Lifted: do not put fruit')
    assert client.asked == [
        ProhibitionRequest(change=ProhibitionChange.ADD, what='fruit', place='box 1', person='Ana'),
        ProhibitionRequest(change=ProhibitionChange.LIFT, what='fruit', place=EVERY_PLACE),
    ]


@pytest.mark.parametrize('arguments', [(), ('add', 'it'), ('lift', 'it')])
def test_a_refusal_is_told_and_ends_with_3(arguments: tuple[str, ...], client: Any) -> None:
    client.fault = MemoryFault('I do not understand “it”')
    result = lucca(*arguments)
    assert result.exit_code == 3
    assert 'I do not understand' in result.output


@pytest.mark.parametrize('arguments', [('--namespace', 'left'), ('list', '--namespace', 'left')])
def test_those_of_a_robot_in_a_namespace_are_listed(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAMESPACE, '')
    result = CliRunner().invoke(app, ['prohibitions', *arguments])
    assert result.exit_code == 0, result.output
    assert os.environ[NAMESPACE] == '/left'
