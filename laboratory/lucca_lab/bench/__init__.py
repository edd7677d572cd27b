"""Benchmarks: what the stack costs, and what its memory costs at size."""
