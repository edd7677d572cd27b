"""Declarative memory: an append-only log file per task that never loses an acknowledged entry (`log.py`)."""
