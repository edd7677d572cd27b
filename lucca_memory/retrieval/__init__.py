"""One retriever for everything that is remembered in words: what people said, facts, and what was done.

`values.py` has the values and protocols; `Library` (library.py) is the retriever; the other files are its parts.
"""
