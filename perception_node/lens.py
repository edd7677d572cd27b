"""Lens distortion: images from a camera are converted to those of a pinhole camera with the same focal lengths."""

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from perception_node.camera import Floats, Intrinsics
from perception_node.detector import Image

Pixels = TypeVar('Pixels', Image, Floats)

NEGLIGIBLE = 1e-6
FISHEYE = 'equidistant'
COEFFICIENTS = {'plumb_bob': (4, 5, 8), 'rational_polynomial': (8, 12, 14), FISHEYE: (4,)}
"""Distortion models of sensor_msgs/CameraInfo, with the numbers of coefficients that each may have.

Orbbec's driver calls a model plumb_bob that has the eight coefficients of rational_polynomial, in the same order.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A calibrated camera: its projection and the distortion of its lens.

    `model` and `coefficients` are those of sensor_msgs/CameraInfo.

    Raises:
        ValueError: the model is unknown, or does not have this number of coefficients.
    """

    intrinsics: Intrinsics
    model: str = 'plumb_bob'
    coefficients: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.bends:
            return
        if self.model not in COEFFICIENTS:
            raise ValueError(f'the distortion model must be one of {", ".join(COEFFICIENTS)}, got {self.model!r}')
        if len(self.coefficients) not in COEFFICIENTS[self.model] or not np.isfinite(self.coefficients).all():
            raise ValueError(
                f'{self.model} has {" or ".join(map(str, COEFFICIENTS[self.model]))} finite coefficients, '
                f'got {list(self.coefficients)}'
            )

    @property
    def bends(self) -> bool:
        """Whether images have to be rectified. A fisheye lens distorts even if its coefficients are 0."""
        return self.model == FISHEYE or any(not abs(value) <= NEGLIGIBLE for value in self.coefficients)


class Rectifier:
    """Removes the distortion of one lens from colour images and from depth registered to them."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self._maps = _maps(lens) if lens.bends else None

    def rectified(self, pixels: Pixels) -> Pixels:
        """The rectified colour image (h, w, 3) or depth (h, w). It is 0 (black, unknown) where the camera saw nothing.

        Depths are not interpolated.

        Raises:
            ValueError: the image does not have the size for which the lens was calibrated.
        """
        if self._maps is None:
            return pixels
        size = (self.lens.intrinsics.height, self.lens.intrinsics.width)
        if pixels.shape[:2] != size:
            raise ValueError(f'camera info is for {size[1]}x{size[0]} pixels, but a picture has {pixels.shape[1::-1]}')
        interpolation = cv2.INTER_NEAREST if pixels.dtype.kind == 'f' else cv2.INTER_LINEAR
        mapped: Pixels = cv2.remap(pixels, *self._maps, interpolation, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
        return mapped


def _maps(lens: Lens) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """For each rectified pixel (h, w), its column and row in the original image."""
    camera = lens.intrinsics
    matrix = np.array([[camera.fx, 0.0, camera.cx], [0.0, camera.fy, camera.cy], [0.0, 0.0, 1.0]])
    bend = np.array(lens.coefficients)
    size, same = (camera.width, camera.height), np.eye(3)
    if lens.model == FISHEYE:
        columns, rows = cv2.fisheye.initUndistortRectifyMap(matrix, bend, same, matrix, size, cv2.CV_32FC1)
    else:
        columns, rows = cv2.initUndistortRectifyMap(matrix, bend, same, matrix, size, cv2.CV_32FC1)
    return np.asarray(columns, np.float32), np.asarray(rows, np.float32)
