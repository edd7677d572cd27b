"""Limits around any model: deadline, retries, context window, tokens and usage."""
