"""What is known about each person: what was said word for word, summaries of it, and nothing of anybody else.

`values.py` has the values and protocols, `memory.py` the memory itself, `sqlite_store.py` and `postgres_store.py` keep
it.
"""
