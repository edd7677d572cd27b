"""Facts: passages of text files in a folder, re-indexed when a file changes (facts.py)."""
