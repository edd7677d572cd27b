"""The semantic network in the worker: built from what people say and do, it adds to recalls and forgets on schedule.

`people/services.py` serves the commands that show and change it.
"""
