"""Limits around calls of any model: deadlines, retries, estimates of tokens, and a meter of usage."""
