"""`lucca trace`: a session as spans, to OpenTelemetry."""

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from lucca_cli.exit_codes import ended_by_signals
from lucca_cli.output import Output
from lucca_cli.requirements import require_packages
from lucca_view.events import TOLD, Event

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_WAITING = 20_000
_LOOK_S = 0.2


def trace(
    file: Annotated[Optional[Path], typer.Argument(help='A recording; the running stack unless it is given.')] = None,
    texts: Annotated[bool, typer.Option('--texts', help='Also prompts and answers. They may name people.')] = False,
) -> None:
    """Sends a session to OpenTelemetry: one trace for a goal, with its actions, model calls and motions, until Ctrl-C.

    Where it is sent to, and with which headers, the OTEL_EXPORTER_OTLP_* variables of the library say.
    """
    require_packages('traces', 'opentelemetry.sdk', 'opentelemetry.exporter.otlp.proto.http')
    from lucca_view.tracing.export import export
    from lucca_view.tracing.spans import GoalSpans, spans_of

    show, provider, count = Output(), _provider(), 0
    try:
        if file is not None:
            require_packages('recordings', 'mcap', 'zstandard')
            from lucca_view.recording.reader import read_session

            count = export(provider, spans_of(read_session(file).events, texts=texts))
            return
        spans, last_s = GoalSpans(texts=texts), 0.0
        with ended_by_signals():
            try:
                for event in _told():
                    count, last_s = count + export(provider, spans.take(event)), event.wall_s
            except KeyboardInterrupt:
                count += export(provider, spans.end(last_s))
    finally:
        provider.shutdown()
        show.line(f'{count} spans', 'green')


def _provider() -> 'TracerProvider':
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({'service.name': 'lucca'}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _told() -> Iterator[Event]:
    """What the nodes of the running stack tell, as it comes, without end."""
    from lucca_cli.client import running_stack
    from lucca_cli.stack_events import StackEvents

    events: queue.Queue[Event] = queue.Queue(_WAITING)

    def take(event: Event) -> None:
        if event.value.KIND in TOLD and not events.full():
            events.put_nowait(event)

    with running_stack() as client:
        StackEvents(client, take, arms={})
        while True:
            try:
                yield events.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
