"""`lucca trace`: the spans of a recording reach a collector, or the command says that they did not."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import recorded_session as session

from lucca_cli.commands.trace import trace
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalResult, Status

pytest.importorskip('opentelemetry.exporter.otlp.proto.http')


class Collector:
    """Takes spans as OTLP over HTTP says, and answers `status`."""

    def __init__(self) -> None:
        self.status, self.names = 200, list[str]()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

                body = self.rfile.read(int(self.headers['Content-Length']))
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in resource.scope_spans:
                        collector.names += [span.name for span in scope.spans]
                self.send_response(collector.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)

    @property
    def address(self) -> str:
        return f'http://127.0.0.1:{self.server.server_address[1]}'


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    collector = Collector()
    monkeypatch.setenv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.address)
    thread = threading.Thread(target=collector.server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    yield collector
    collector.server.shutdown()
    collector.server.server_close()
    thread.join()


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two goals, each with a call of a model."""
    told = []
    for goal in ('g1', 'g2'):
        told += [session.news(goal), session.exchange('What next?', 'nothing', goal=goal)]
        told.append(session.news(goal, result=GoalResult(status=Status.FINISHED, task='sorting')))
    session.write(tmp_path / 'session.mcap', session.events(tuple(told)))
    return tmp_path / 'session.mcap'


def test_every_span_of_a_recording_reaches_the_collector(collector, recording, capsys):
    trace(recording)
    assert collector.names.count('invoke_agent lucca') == 2
    assert f'{len(collector.names)} spans sent' in capsys.readouterr().out


def test_what_is_not_taken_is_no_success(collector, recording):
    collector.status = 400
    with pytest.raises(StackError, match=f'spans were not accepted: is a collector running at {collector.address}'):
        trace(recording)
