"""The export of spans to OpenTelemetry with their original times; needs the extra `otel`."""

from collections.abc import Iterable, Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Span as OpenSpan
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context

from lucca_view.tracing.spans import Span

SCOPE = 'lucca'


class CountingExporter:
    """Passes spans to another exporter and counts them, as that one only logs what it could not send.

    Attributes:
        sent: number of spans that were accepted.
        lost: number of spans that were not.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self.sent = self.lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Passes the spans on."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        else:
            self.lost += len(spans)
        return result

    def shutdown(self) -> None:
        """Shuts the other exporter down."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Whether the other exporter has sent everything."""
        return bool(self._exporter.force_flush(timeout_millis))


def export(provider: TracerProvider, roots: Iterable[Span]) -> int:
    """Passes spans to the provider, each root as a trace of its own. Returns the number of spans."""
    tracer = provider.get_tracer(SCOPE)
    return sum(_export(tracer, root, None) for root in roots)


def _export(tracer: Tracer, span: Span, parent: OpenSpan | None) -> int:
    made = tracer.start_span(
        span.name,
        context=Context() if parent is None else set_span_in_context(parent),
        kind=SpanKind.CLIENT if span.calls_out else SpanKind.INTERNAL,
        attributes={**span.attributes, 'lucca.node': span.node},
        start_time=_nanoseconds(span.began_s),
    )
    for event in span.events:
        made.add_event(event.name, event.attributes, timestamp=_nanoseconds(event.wall_s))
    if span.error:
        made.set_attribute('error.type', span.error[:200])
        made.set_status(Status(StatusCode.ERROR, span.error))
    count = 1 + sum(_export(tracer, child, made) for child in span.children)
    made.end(end_time=_nanoseconds(span.ended_s))
    return count


def _nanoseconds(wall_s: float) -> int:
    return round(wall_s * 1e9)
