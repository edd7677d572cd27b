"""What a recording writes before it ends."""

import queue
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

pytest.importorskip('mcap')

import recorded_session as session

from lucca_cli.commands import record
from lucca_cli.commands.record import _pump
from lucca_cli.main import app
from lucca_view.recording.reader import read_session

pytestmark = pytest.mark.ros


def test_events_that_arrived_before_the_end_are_written_also_those_of_the_last_look():
    events, written = queue.Queue(), []
    for number in range(3):
        events.put(number)
    source = SimpleNamespace(ask_tasks=lambda: None, close=lambda: events.put('at last'))

    def write(event):
        written.append(event)
        if event == 'at last':
            events.put('too late')

    assert _pump(events, write, lambda: None, source, 1e-9) == 4
    assert written == [0, 1, 2, 'at last']  # not what goes on arriving: it would never end


@pytest.mark.parametrize(('options', 'watched'), [([], {'joints'}), (['--pictures'], {'joints', 'pictures'})])
def test_pictures_are_received_only_if_they_are_asked_for(options, watched, tmp_path, monkeypatch):
    asked = []

    class Events:
        def __init__(self, client, take, arms):
            self.watch = asked.append
            take(session.events()[0])
            self.ask_tasks = self.close = lambda: None

    @contextmanager
    def stack():
        yield SimpleNamespace(node=SimpleNamespace(get_namespace=lambda: '/'))

    monkeypatch.setattr(record, 'StackEvents', Events)
    monkeypatch.setattr(record, 'running_stack', stack)
    file = tmp_path / 'session.mcap'
    result = CliRunner().invoke(
        app, ['record', str(file), '--duration-s', '0.01', '--data-dir', str(tmp_path), *options]
    )
    assert result.exit_code == 0, result.output
    assert [set(wanted) for wanted in asked] == [watched]
    assert read_session(file).events[0].value.pictures is bool(options)
