"""Text embeddings: the protocol `Embedder`, and its implementations, chosen by a spec string (spec.py)."""
