"""Faults injected into language models: the model spec `faulty:PROFILE:SPEC`."""
