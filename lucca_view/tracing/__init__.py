"""Traces: a session as spans, and their export to OpenTelemetry."""
