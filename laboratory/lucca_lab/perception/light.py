"""Conversion of a light's colour temperature to an RGB colour."""

import numpy as np
from numpy.typing import NDArray

_TO_SRGB = np.array([[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]])


def light_rgb(kelvin: float) -> NDArray[np.float64]:
    """The display colour of a black body, as red, green and blue; the largest of them is 1.

    The chromaticity is the cubic approximation of the Planckian locus by Kim et al. (2002). It is then encoded as sRGB,
    since the renderer multiplies light and surface in display colours.

    Raises:
        ValueError: the temperature is not within 1667 to 25000 K, the range of the approximation.
    """
    if not 1667 <= kelvin <= 25000:
        raise ValueError(f'kelvin must be 1667 to 25000, got {kelvin:g}')
    t = 1000.0 / kelvin
    if kelvin <= 4000:
        x = -0.2661239 * t**3 - 0.2343589 * t**2 + 0.8776956 * t + 0.179910
    else:
        x = -3.0258469 * t**3 + 2.1070379 * t**2 + 0.2226347 * t + 0.240390
    if kelvin <= 2222:
        y = -1.1063814 * x**3 - 1.34811020 * x**2 + 2.18555832 * x - 0.20219683
    elif kelvin <= 4000:
        y = -0.9549476 * x**3 - 1.37418593 * x**2 + 2.09137015 * x - 0.16748867
    else:
        y = 3.0817580 * x**3 - 5.87338670 * x**2 + 3.75112997 * x - 0.37001483
    linear = np.maximum(_TO_SRGB @ np.array([x / y, 1.0, (1 - x - y) / y]), 0.0)
    linear /= linear.max()
    encoded: NDArray[np.float64] = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return encoded
