"""Walks: how a command and a detection pass through the code, from traces of the running nodes."""
