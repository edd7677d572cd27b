"""New matplotlib figures; matplotlib is imported only for them."""

from typing import TYPE_CHECKING

from lucca_core.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width_in: float, height_in: float, dpi: int) -> 'Figure':
    """An empty figure.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError(
            'figures need matplotlib: pip install "lucca-lab[figures]", or: pip install matplotlib'
        ) from error
    return Figure(figsize=(width_in, height_in), layout='constrained', dpi=dpi)
