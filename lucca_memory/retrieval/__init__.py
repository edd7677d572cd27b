"""The retriever for everything remembered as text: what people said, facts, and task logs.

`values.py` has the values and protocols; `Library` (library.py) is the retriever; the other files are its parts.
"""
