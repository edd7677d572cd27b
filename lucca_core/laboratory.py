"""Access to the optional laboratory (`lucca-lab`) by entry points; the product never imports it."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from lucca_core.errors import ConfigError

INSTRUMENTS_GROUP = 'lucca.laboratory'
INSTALL = 'pip install ./laboratory, in a checkout of lucca'


def instrument(name: str) -> Any:
    """The object that the laboratory offers under a name, such as `judge`; None if the laboratory is not installed."""
    point = instruments().get(name)
    return None if point is None else point.load()


def required_instrument(name: str, what: str) -> Any:
    """The object that the laboratory offers under a name; `what` needs it.

    Raises:
        ConfigError: the laboratory is not installed.
    """
    if (found := instrument(name)) is None:
        raise ConfigError(f'{what} needs the laboratory: {INSTALL}')
    return found


@cache
def instruments() -> Mapping[str, EntryPoint]:
    """The instruments of the laboratory, by name. To find them, the metadata of all distributions is read: once."""
    return {point.name: point for point in entry_points(group=INSTRUMENTS_GROUP)}
