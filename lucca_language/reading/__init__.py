"""Reading: descriptions in plain English become programs (what to do with which objects, in which order).

`reading.read` is the entry: it also accounts for every word, so that nobody acts on half a sentence.
"""
