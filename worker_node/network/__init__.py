"""The semantic network in the worker: built from what people say and do, used in recalls, and forgetting on schedule.

`people/services.py` serves the commands that show and change it.
"""
