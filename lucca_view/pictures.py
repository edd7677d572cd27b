"""Camera pictures of a session, JPEG as base64; in a damaged recording, the text may be anything."""

import base64

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

MOST_PIXELS = 40_000_000
_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_NO_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of the segments that hold the size."""


def jpeg_of(text: str) -> bytes:
    """The bytes of a picture; empty if the text is not base64."""
    try:
        return base64.b64decode(text)
    except ValueError:
        return b''


def decoded(text: str) -> Picture | None:
    """A picture, (height, width, 3) in BGR; None if it is not a JPEG, or larger than MOST_PIXELS."""
    data = jpeg_of(text)
    # Checked first: what a few bytes claim to be as large as a billion pixels would be allocated and filled.
    if not 0 < pixels_of(data) <= MOST_PIXELS:
        return None
    try:
        picture = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else picture.astype(np.uint8)


def pixels_of(data: bytes) -> int:
    """The number of pixels that a JPEG says it has; 0 if it does not say it before its data, or is no JPEG."""
    if data[:2] != bytes((0xFF, _START)):
        return 0
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAMES:
            return int.from_bytes(data[at + 5 : at + 7]) * int.from_bytes(data[at + 7 : at + 9])
        if marker in (_START, _END, _SCAN):
            return 0
        if marker == 0xFF:
            at += 1
        elif marker in _NO_LENGTH:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return 0
