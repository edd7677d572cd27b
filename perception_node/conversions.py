"""Images, camera data and joints from messages; bad input is refused by raising ValueError."""

import numpy as np
from sensor_msgs.msg import CameraInfo, JointState
from sensor_msgs.msg import Image as ImageMsg

from perception_node.camera import Floats
from perception_node.detector import Image
from perception_node.pipeline import Intrinsics


def rgb_from_msg(msg: ImageMsg) -> Image:
    """A colour image (h, w, 3), red first; rgb8 without a copy.

    Raises:
        ValueError: another encoding than rgb8 or bgr8, or less data than the size says.
    """
    if msg.encoding not in ('rgb8', 'bgr8'):
        raise ValueError(f'a colour image must be rgb8 or bgr8, got {msg.encoding!r}')
    pixels = _rows(msg, 3)[:, : msg.width * 3].reshape(msg.height, msg.width, 3)
    return pixels if msg.encoding == 'rgb8' else np.ascontiguousarray(pixels[..., ::-1])


def depth_from_msg(msg: ImageMsg) -> Floats:
    """Depth (h, w) float32 in m, from 32FC1 (m, without a copy) or 16UC1 (mm).

    Raises:
        ValueError: another encoding, big-endian data, or less data than the size says.
    """
    if msg.encoding not in ('32FC1', '16UC1') or msg.is_bigendian:
        order = 'big-endian ' if msg.is_bigendian else ''
        raise ValueError(f'a depth image must be little-endian 32FC1 or 16UC1, got {order}{msg.encoding!r}')
    if msg.encoding == '32FC1':
        return np.ascontiguousarray(_rows(msg, 4)[:, : msg.width * 4]).view(np.float32)
    return np.ascontiguousarray(_rows(msg, 2)[:, : msg.width * 2]).view(np.uint16).astype(np.float32) * np.float32(1e-3)


def intrinsics_from_msg(msg: CameraInfo) -> Intrinsics:
    """The projection of a rectified camera.

    Raises:
        ValueError: no size, no focal length, or lens distortion that is not taken out.
    """
    fx, fy, cx, cy = float(msg.k[0]), float(msg.k[4]), float(msg.k[2]), float(msg.k[5])
    if msg.width < 1 or msg.height < 1 or fx <= 0 or fy <= 0:
        raise ValueError(
            f'camera info needs a size and focal lengths above 0, got {msg.width}x{msg.height}, {fx}, {fy}'
        )
    if any(abs(value) > 1e-6 for value in msg.d):
        raise ValueError(f'images must be rectified (all distortion coefficients 0), got {list(msg.d)}')
    return Intrinsics(width=int(msg.width), height=int(msg.height), fx=fx, fy=fy, cx=cx, cy=cy)


def joints_from_msg(msg: JointState) -> dict[str, float]:
    """Positions by joint name.

    Raises:
        ValueError: not one finite position a name.
    """
    if len(msg.position) != len(msg.name):
        raise ValueError(f'joint states name {len(msg.name)} joints but give {len(msg.position)} positions')
    if not np.isfinite(msg.position).all():
        raise ValueError('joint states hold a position that is not finite')
    return dict(zip(msg.name, map(float, msg.position), strict=True))


def _rows(msg: ImageMsg, bytes_per_pixel: int) -> np.ndarray:
    if msg.step < msg.width * bytes_per_pixel or len(msg.data) < msg.step * msg.height or msg.height < 1:
        raise ValueError(
            f'an image of {msg.width}x{msg.height} {msg.encoding} with rows of {msg.step} bytes '
            f'does not fit into {len(msg.data)} bytes'
        )
    data = np.frombuffer(msg.data, np.uint8, msg.step * msg.height)
    return data.reshape(msg.height, msg.step)
