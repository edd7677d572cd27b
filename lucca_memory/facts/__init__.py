"""Facts: a folder of text files, in passages with file and line, followed while they change (facts.py)."""
