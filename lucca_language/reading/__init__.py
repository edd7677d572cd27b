"""Reading: plain English descriptions become programs (what to do with which objects, in which order).

`reading.read` is the entry point. It also accounts for every word, so that nobody acts on half a sentence.
"""
