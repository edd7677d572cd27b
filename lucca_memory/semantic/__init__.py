"""What was heard as a network of concepts and statements that forgets: consolidation, importance, pruning, retrieval.

`ports.py` has the values and protocols, `memory.py` the memory itself, `network.py` the graph as arrays,
`importance.py` and `forgetting.py` what goes, `evolution.py` what is no longer true, `sqlite_store.py` what survives.
"""
