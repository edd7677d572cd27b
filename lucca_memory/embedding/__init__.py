"""Meaning as vectors: one protocol, `Embedder`, and the ways to get one, chosen by a spec string (spec.py)."""
