"""The semantic network in the worker: it follows what people say and what is done, is recalled from, forgets on a schedule,
and can be looked at and changed by hand (`people/services.py` serves that).
"""
