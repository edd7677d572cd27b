"""The semantic network in the worker: it is built from what people say and do, adds to recalls, and forgets on a schedule.

`people/services.py` serves the commands that show and change it.
"""
