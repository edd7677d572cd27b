"""The semantic memory: a network of concepts and statements that forgets what is unimportant (`memory.py`).

`values.py` has the inputs and outputs, `config.py` the settings, and `opening.py` opens the memory of a data folder.
Subpackages: `language` reads sentences, `consolidation` adds them, `graph` holds them as arrays, `store` as rows,
`forgetting` decides what is removed, and `answering` finds what answers a question.
"""
