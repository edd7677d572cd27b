"""Conversion of images to messages."""

import array

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Header

from lucca_ros.conversions.stamps import time_to_msg

_JPEG_QUALITY = 80


def image_to_msg(pixels: NDArray[np.uint8] | NDArray[np.float32], stamp_s: float, frame_id: str) -> Image:
    """Converts a colour image (h, w, 3), uint8, to rgb8, or a depth image (h, w) in m, float32, to 32FC1."""
    return Image(
        header=Header(stamp=time_to_msg(stamp_s), frame_id=frame_id),
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding='rgb8' if pixels.ndim == 3 else '32FC1',
        is_bigendian=0,
        step=pixels[0].nbytes,
        # An array is assigned as it is; with bytes, rclpy would check every element.
        data=array.array('B', np.ascontiguousarray(pixels).tobytes()),
    )


def jpeg_to_msg(pixels: NDArray[np.uint8], stamp_s: float, frame_id: str) -> CompressedImage:
    """Converts a colour image (h, w, 3), uint8, RGB, to a JPEG as image_transport publishes it.

    Raises:
        ValueError: OpenCV cannot encode it.
    """
    made, packed = cv2.imencode('.jpg', pixels[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if not made:
        raise ValueError(f'an image of shape {pixels.shape} cannot be encoded as JPEG')
    return CompressedImage(
        header=Header(stamp=time_to_msg(stamp_s), frame_id=frame_id),
        format='rgb8; jpeg compressed bgr8',
        data=array.array('B', packed.tobytes()),
    )
