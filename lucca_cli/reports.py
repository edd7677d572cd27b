"""The priority of what a person says."""

SAID_PRIORITY = 10
"""A person who speaks up interrupts what was started from a terminal."""
