"""`lucca trace`: sends a session as spans to OpenTelemetry."""

import os
import queue
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from lucca_cli.exit_codes import ended_by_signals
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages
from lucca_core.errors import StackError
from lucca_view.events import TOLD, Event

if TYPE_CHECKING:
    from lucca_view.tracing.spans import Span

_ADDRESS = 'OTEL_EXPORTER_OTLP_ENDPOINT'
_WAITING = 20_000
_LOOK_S = 0.2


def trace(
    file: Annotated[Optional[Path], typer.Argument(help='A recording; if not given, the running stack.')] = None,
    texts: Annotated[
        bool, typer.Option('--texts', help='Also send prompts and answers. They may name people.')
    ] = False,
) -> None:
    """Sends a session to OpenTelemetry until Ctrl-C: a trace per goal, with its actions, model calls and motions.

    The library's environment variables OTEL_EXPORTER_OTLP_* set the address and the headers.
    """
    require_packages('traces', 'opentelemetry.sdk', 'opentelemetry.exporter.otlp.proto.http')
    from lucca_view.tracing.spans import GoalSpans, spans_of

    show, sender = Output(), _Sender()
    try:
        if file is not None:
            require_packages('recordings', 'mcap', 'zstandard')
            from lucca_view.recording.reader import read_session

            roots = tuple(spans_of(read_session(file).events, texts=texts))
            for root in show.bar(roots, 'sending', len(roots)):
                sender.send((root,))
                sender.check()
            return
        spans, last_s = GoalSpans(texts=texts), 0.0
        with ended_by_signals():
            try:
                for event in _told():
                    last_s = event.wall_s
                    sender.send(spans.take(event))
            except KeyboardInterrupt:
                sender.send(spans.end(last_s))
        sender.check()
    finally:
        show.line(f'{sender.close()} spans sent', 'green')


class _Sender:
    """Sends the spans of one goal after another to the address in the library's environment variables."""

    def __init__(self) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from lucca_view.tracing.export import CountingExporter

        self._exporter = CountingExporter(OTLPSpanExporter())
        self._provider = TracerProvider(resource=Resource.create({'service.name': 'lucca'}))
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))

    def send(self, roots: 'Iterable[Span]') -> None:
        """Sends complete goals, and flushes after each, as the library drops what exceeds its queue."""
        from lucca_view.tracing.export import export

        for root in roots:
            export(self._provider, (root,))
            self._provider.force_flush()

    def check(self) -> None:
        """Raises StackError if spans were not accepted."""
        lost, sent = self._exporter.lost, self._exporter.sent
        if lost:
            raise StackError(
                f'{lost} of {lost + sent} spans were not accepted: is a collector running at {_address()}? '
                f'{_ADDRESS} sets another address'
            )

    def close(self) -> int:
        """Shuts down and returns the number of accepted spans."""
        self._provider.shutdown()
        return self._exporter.sent


def _address() -> str:
    return os.environ.get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') or os.environ.get(_ADDRESS) or 'http://localhost:4318'


def _told() -> Iterator[Event]:
    """The events that the nodes of the running stack publish, without end."""
    from lucca_cli.client import running_stack
    from lucca_cli.stack_events import StackEvents

    events: queue.Queue[Event] = queue.Queue(_WAITING)

    def take(event: Event) -> None:
        if event.value.KIND in TOLD and not events.full():
            events.put_nowait(event)

    with running_stack() as client, closing(StackEvents(client, take, arms={})):
        while True:
            try:
                yield events.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
