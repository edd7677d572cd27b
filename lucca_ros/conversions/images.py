"""Conversion of images to messages."""

import array

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import Image
from std_msgs.msg import Header

from lucca_ros.conversions.stamps import time_to_msg


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
