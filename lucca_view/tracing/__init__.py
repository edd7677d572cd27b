"""Traces: a session as spans, and their way to OpenTelemetry."""
