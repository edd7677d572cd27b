"""The semantic memory: what was heard as a network of concepts and statements that forgets (`memory.py`).

`values.py` has what goes in and comes out, `config.py` the settings, `opening.py` puts the memory of a data folder
together. The rooms: `language` reads sentences, `consolidation` adds them, `graph` holds them as arrays, `store` as rows,
`forgetting` decides what goes, and `answering` finds what a question is about.
"""
