"""The memory of people: each person's words and summaries of them, never mixed with another person's.

`values.py` has the values and protocols, `memory.py` the memory itself, `sqlite_store.py` and `postgres_store.py` the
stores.
"""
