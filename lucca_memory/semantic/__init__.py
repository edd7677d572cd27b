"""What was heard as a network of concepts and statements that forgets: consolidation, importance, pruning, retrieval.

`ports.py` has the values and protocols, `memory.py` the memory itself, `live_network.py` arrays and rows as they
change together, `network.py` the graph as arrays, `understanding.py` what models make of a text, `importance.py` and
`forgetting.py` what goes, `evolution.py` what is no longer true, `sqlite_store.py` what survives.
"""
