"""Test doubles for models: recorded answers that are replayed, and models that fail on purpose."""
