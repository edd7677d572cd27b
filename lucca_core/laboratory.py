"""Finds what the optional laboratory (`lucca-lab`) offers, by entry points; the product never imports it."""

from importlib.metadata import entry_points
from typing import Any

INSTRUMENTS_GROUP = 'lucca.laboratory'
INSTALL = 'pip install ./laboratory, in a checkout of lucca'


def instrument(name: str) -> Any:
    """What the laboratory offers under a name, such as `judge`; None without the laboratory."""
    return next((point.load() for point in entry_points(group=INSTRUMENTS_GROUP, name=name)), None)
