"""Benchmarks: the cost of the stack, and of its memory at scale."""
