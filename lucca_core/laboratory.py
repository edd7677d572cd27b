"""Access to the optional laboratory (`lucca-lab`) by entry points; the product never imports it."""

from importlib.metadata import entry_points
from typing import Any

from lucca_core.errors import ConfigError

INSTRUMENTS_GROUP = 'lucca.laboratory'
INSTALL = 'pip install ./laboratory, in a checkout of lucca'


def instrument(name: str) -> Any:
    """The object that the laboratory offers under a name, such as `judge`; None if the laboratory is not installed."""
    return next((point.load() for point in entry_points(group=INSTRUMENTS_GROUP, name=name)), None)


def required_instrument(name: str, what: str) -> Any:
    """The object that the laboratory offers under a name; `what` needs it.

    Raises:
        ConfigError: the laboratory is not installed.
    """
    if (found := instrument(name)) is None:
        raise ConfigError(f'{what} needs the laboratory: {INSTALL}')
    return found
