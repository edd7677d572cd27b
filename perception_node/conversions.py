"""Conversions of images, camera data and joints from messages; bad input raises ValueError."""

import cv2
import numpy as np
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from sensor_msgs.msg import Image as ImageMsg

from perception_node.camera import Floats, Intrinsics
from perception_node.detector import Image
from perception_node.lens import Lens

_MOST_PIXELS = 4096 * 4096
_DEPTH_HEADER_BYTES = 12
"""Header of compressed_depth_image_transport before the PNG: a format, and two numbers for quantised 32FC1."""


def rgb_from_msg(msg: ImageMsg | CompressedImage) -> Image:
    """A colour image (h, w, 3) in RGB order; rgb8 is not copied.

    Raises:
        ValueError: the encoding is neither rgb8 nor bgr8, the data is too short, or it is not JPEG or PNG.
    """
    if isinstance(msg, CompressedImage):
        # OpenCV returns BGR, whatever order the camera had.
        return np.ascontiguousarray(_decoded(msg, bytes(msg.data), cv2.IMREAD_COLOR)[..., ::-1])
    if msg.encoding not in ('rgb8', 'bgr8'):
        raise ValueError(f'a colour image must be rgb8 or bgr8, got {msg.encoding!r}')
    pixels = _rows(msg, 3)[:, : msg.width * 3].reshape(msg.height, msg.width, 3)
    return pixels if msg.encoding == 'rgb8' else np.ascontiguousarray(pixels[..., ::-1])


def depth_from_msg(msg: ImageMsg | CompressedImage) -> Floats:
    """Depth (h, w) float32 in m, from 32FC1 (m, not copied) or 16UC1 (mm).

    Raises:
        ValueError: another encoding, big-endian data, data that is too short, or not a PNG of compressedDepth.
    """
    if isinstance(msg, CompressedImage):
        return _depth_from_compressed(msg)
    if msg.encoding not in ('32FC1', '16UC1') or msg.is_bigendian:
        order = 'big-endian ' if msg.is_bigendian else ''
        raise ValueError(f'a depth image must be little-endian 32FC1 or 16UC1, got {order}{msg.encoding!r}')
    if msg.encoding == '32FC1':
        return np.ascontiguousarray(_rows(msg, 4)[:, : msg.width * 4]).view(np.float32)
    return np.ascontiguousarray(_rows(msg, 2)[:, : msg.width * 2]).view(np.uint16).astype(np.float32) * np.float32(1e-3)


def lens_from_msg(msg: CameraInfo) -> Lens:
    """The lens of a calibrated camera.

    Raises:
        ValueError: size or focal length is missing, the image is too large, or the distortion is unknown.
    """
    fx, fy, cx, cy = float(msg.k[0]), float(msg.k[4]), float(msg.k[2]), float(msg.k[5])
    if msg.width < 1 or msg.height < 1 or not (fx > 0 and fy > 0):
        raise ValueError(
            f'camera info needs a size and focal lengths above 0, got {msg.width}x{msg.height}, {fx}, {fy}'
        )
    if msg.width * msg.height > _MOST_PIXELS:
        raise ValueError(f'camera info must have at most {_MOST_PIXELS} pixels, got {msg.width}x{msg.height}')
    return Lens(
        intrinsics=Intrinsics(width=int(msg.width), height=int(msg.height), fx=fx, fy=fy, cx=cx, cy=cy),
        model=msg.distortion_model,
        coefficients=tuple(map(float, msg.d)),
    )


def joints_from_msg(msg: JointState) -> dict[str, float]:
    """Positions by joint name.

    Raises:
        ValueError: there is not exactly one finite position per name.
    """
    if len(msg.position) != len(msg.name):
        raise ValueError(f'joint states name {len(msg.name)} joints but give {len(msg.position)} positions')
    if not np.isfinite(msg.position).all():
        raise ValueError('joint states hold a position that is not finite')
    return dict(zip(msg.name, map(float, msg.position), strict=True))


def _depth_from_compressed(msg: CompressedImage) -> Floats:
    encoding = msg.format.partition(';')[0].strip()
    if encoding not in ('16UC1', '32FC1') or 'compressedDepth' not in msg.format or 'rvl' in msg.format:
        raise ValueError(f"compressed depth must be '16UC1; compressedDepth png' or 32FC1, got {msg.format!r}")
    data = bytes(msg.data)
    pixels = _decoded(msg, data[_DEPTH_HEADER_BYTES:], cv2.IMREAD_UNCHANGED)
    if pixels.dtype != np.uint16 or pixels.ndim != 2:
        raise ValueError(f'compressed depth must hold 16 bits a pixel, got {pixels.dtype} {pixels.shape}')
    if encoding == '16UC1':
        return pixels.astype(np.float32) * np.float32(1e-3)
    scale, offset = np.frombuffer(data, '<f4', 2, offset=4)
    with np.errstate(divide='ignore', invalid='ignore'):
        depth_m = np.float32(scale) / (pixels.astype(np.float32) - np.float32(offset))
    return np.where((pixels > 0) & np.isfinite(depth_m), depth_m, np.float32(0))


def _decoded(msg: CompressedImage, data: bytes, how: int) -> np.ndarray:
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), how) if data else None
    except cv2.error as error:
        raise ValueError(f'{len(data)} bytes of {msg.format!r} cannot be decoded as a picture: {error.err}') from error
    if pixels is None or pixels.size == 0:
        raise ValueError(f'{len(data)} bytes of {msg.format!r} cannot be decoded as a picture')
    if pixels.shape[0] * pixels.shape[1] > _MOST_PIXELS:
        raise ValueError(f'a picture of {pixels.shape[1]}x{pixels.shape[0]} pixels is too large')
    return pixels


def _rows(msg: ImageMsg, bytes_per_pixel: int) -> np.ndarray:
    if msg.step < msg.width * bytes_per_pixel or len(msg.data) < msg.step * msg.height or msg.height < 1:
        raise ValueError(
            f'an image of {msg.width}x{msg.height} {msg.encoding} with rows of {msg.step} bytes '
            f'does not fit into {len(msg.data)} bytes'
        )
    data = np.frombuffer(msg.data, np.uint8, msg.step * msg.height)
    return data.reshape(msg.height, msg.step)
