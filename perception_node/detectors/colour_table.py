"""A table that names the colour of each pixel with one look-up."""

import cv2
import numpy as np
from numpy.typing import NDArray

from perception_node.detector import Image
from perception_node.lexicon import ColourRange

_BITS = 5
_SHIFT = 8 - _BITS


class ColourTable:
    """Maps RGB to the number of a named colour: 0 for none, otherwise 1 + its index in `names`.

    `headroom` is the factor by which images were darkened so that what is brighter than usual is not clipped; see
    white_balance.
    """

    def __init__(self, colours: tuple[ColourRange, ...], headroom: float = 1.0) -> None:
        self.names = tuple(item.name for item in colours)
        self._shade_of = {item.name: item.shade_of for item in colours if item.shade_of}
        steps = (np.arange(1 << _BITS, dtype=np.uint16) << _SHIFT) + (1 << (_SHIFT - 1))
        red, green, blue = np.meshgrid(steps, steps, steps, indexing='ij')
        rgb = np.stack((red, green, blue), axis=-1).reshape(-1, 1, 3).astype(np.float32) / np.float32(255.0 * headroom)
        hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV).reshape(-1, 3)
        hue, saturation, value = hsv[:, 0], hsv[:, 1], np.minimum(hsv[:, 2], 1.0)
        table = np.zeros(len(hsv), np.uint8)
        for number in range(len(colours), 0, -1):
            item = colours[number - 1]
            low, high = item.hue
            fits = (hue >= low) & (hue <= high) if low <= high else (hue >= low) | (hue <= high)
            fits &= (saturation >= item.saturation[0]) & (saturation <= item.saturation[1])
            fits &= (value >= item.value[0]) & (value <= item.value[1])
            table[fits] = number
        self._table = table

    def classify(self, rgb: Image) -> NDArray[np.uint8]:
        """The colour number of each pixel, from (…, 3) to (…)."""
        index = (rgb[..., 0] >> _SHIFT).astype(np.uint16)
        index <<= _BITS
        index |= rgb[..., 1] >> _SHIFT
        index <<= _BITS
        index |= rgb[..., 2] >> _SHIFT
        return self._table[index]

    def number(self, name: str) -> int:
        """The number of a colour.

        Raises:
            ValueError: there is no such colour.
        """
        if name not in self.names:
            raise ValueError(f'{name!r} is not a known colour; known are {", ".join(self.names)}')
        return self.names.index(name) + 1

    def name(self, number: int) -> str:
        """The colour with a number; '' for 0."""
        return self.names[number - 1] if number else ''

    def is_shade(self, colour: str, of: str) -> bool:
        """True if `colour` is how `of` looks in shadow; black and '' are shades of every colour."""
        return colour in ('black', '') or self._shade_of.get(colour) == of
