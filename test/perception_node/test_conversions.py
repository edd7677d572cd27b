"""Images and camera data to messages and back."""

import struct

import cv2
import numpy as np
import pytest
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from sensor_msgs.msg import Image as ImageMsg

from lucca_ros.conversions.images import image_to_msg
from perception_node.conversions import (
    depth_from_msg,
    joints_from_msg,
    lens_from_msg,
    rgb_from_msg,
)
from perception_node.lens import Rectifier

pytestmark = pytest.mark.ros
RGB = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)


def image(encoding: str, data: bytes, *, width: int = 3, height: int = 2, step: int, big: int = 0) -> ImageMsg:
    msg = ImageMsg(encoding=encoding, width=width, height=height, step=step, is_bigendian=big)
    msg.data.frombytes(data)
    return msg


def test_a_colour_image_comes_back():
    msg = image_to_msg(RGB, 12.5, 'camera')
    assert (rgb_from_msg(msg) == RGB).all()
    assert (msg.header.stamp.sec, msg.header.stamp.nanosec, msg.header.frame_id) == (12, 500_000_000, 'camera')


def test_bgr_and_padded_rows_are_understood():
    assert (rgb_from_msg(image('bgr8', RGB[..., ::-1].tobytes(), step=9)) == RGB).all()
    padded = b''.join(row.tobytes() + b'xx' for row in RGB)
    assert (rgb_from_msg(image('rgb8', padded, step=11)) == RGB).all()


def test_depth_in_metres_and_in_millimetres_is_metres():
    metres = np.array([[0.5, 1.0, 0.0], [1.5, 2.0, 1.25]], np.float32)
    assert (depth_from_msg(image('32FC1', metres.tobytes(), step=12)) == metres).all()
    millimetres = (metres * 1000).astype('<u2')
    got = depth_from_msg(image('16UC1', millimetres.tobytes(), step=6))
    assert got == pytest.approx(metres)
    assert got.dtype == np.float32


@pytest.mark.parametrize(
    ('convert', 'msg', 'reason'),
    [
        (rgb_from_msg, image('mono8', b'123456', step=3), "rgb8 or bgr8, got 'mono8'"),
        (rgb_from_msg, image('rgb8', b'123456', step=9), 'does not fit into 6 bytes'),
        (rgb_from_msg, image('rgb8', bytes(18), step=6), 'rows of 6 bytes'),
        (depth_from_msg, image('rgb8', bytes(18), step=9), 'must be little-endian 32FC1'),
        (depth_from_msg, image('32FC1', bytes(24), step=12, big=1), 'got big-endian'),
    ],
)
def test_an_image_that_cannot_be_used_is_refused(convert, msg, reason):
    with pytest.raises(ValueError, match=reason):
        convert(msg)


def camera_info(**values) -> CameraInfo:
    msg = CameraInfo(width=640, height=480, k=[580.0, 0, 320.0, 0, 581.0, 240.0, 0, 0, 1.0], d=[0.0] * 5)
    for name, value in values.items():
        setattr(msg, name, value)
    return msg


def test_the_projection_of_a_camera_is_read():
    got = lens_from_msg(camera_info()).intrinsics
    assert (got.width, got.height, got.fx, got.fy, got.cx, got.cy) == (640, 480, 580.0, 581.0, 320.0, 240.0)


def test_the_distortion_of_a_camera_is_read():
    """As realsense2_camera publishes it for a D455's colour camera."""
    got = lens_from_msg(camera_info(distortion_model='plumb_bob', d=[-0.056, 0.066, -0.0004, 0.0006, -0.021]))
    assert got.bends
    assert got.coefficients == (-0.056, 0.066, -0.0004, 0.0006, -0.021)


@pytest.mark.parametrize('last_three', [(0.0, 0.0, 0.0), (0.3, -0.1, 0.02)])
def test_eight_coefficients_of_plumb_bob_are_those_of_a_rational_polynomial(last_three):
    """As OrbbecSDK_ROS2 2.6.3 publishes them for each of its cameras: k1 k2 p1 p2 k3 k4 k5 k6."""
    d = [0.08, -0.11, 0.0003, -0.0005, 0.04, *last_three]
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 255, (480, 640, 3), dtype=np.uint8)
    ours = Rectifier(lens_from_msg(camera_info(distortion_model='plumb_bob', d=d))).rectified(rgb)
    theirs = Rectifier(lens_from_msg(camera_info(distortion_model='rational_polynomial', d=d))).rectified(rgb)
    np.testing.assert_array_equal(ours, theirs)
    if not any(last_three):
        five = Rectifier(lens_from_msg(camera_info(distortion_model='plumb_bob', d=d[:5]))).rectified(rgb)
        np.testing.assert_array_equal(ours, five)


def test_a_camera_that_is_not_calibrated_or_has_an_unknown_lens_is_refused():
    with pytest.raises(ValueError, match='distortion model must be one of'):
        lens_from_msg(camera_info(distortion_model='magic', d=[0.1]))
    with pytest.raises(ValueError, match='focal lengths above 0'):
        lens_from_msg(camera_info(k=[0.0] * 9))
    with pytest.raises(ValueError, match='focal lengths above 0'):
        lens_from_msg(camera_info(k=[float('nan')] * 9))


def compressed(format_text: str, data: bytes) -> CompressedImage:
    msg = CompressedImage(format=format_text)
    msg.data.frombytes(data)
    return msg


def png(pixels: np.ndarray) -> bytes:
    return cv2.imencode('.png', pixels)[1].tobytes()


def test_compressed_colour_comes_back():
    """As compressed_image_transport publishes it: OpenCV's encoder, blue first."""
    assert (rgb_from_msg(compressed('rgb8; png compressed bgr8', png(RGB[..., ::-1]))) == RGB).all()


def test_compressed_depth_in_millimetres_is_metres():
    """As compressed_depth_image_transport publishes it: 12 bytes of header, then a PNG."""
    depth_mm = np.array([[500, 1000, 0], [1500, 2000, 65535]], np.uint16)
    header = struct.pack('<iff', 0, 0.0, 0.0)
    got = depth_from_msg(compressed('16UC1; compressedDepth png', header + png(depth_mm)))
    assert got == pytest.approx(depth_mm / 1000)
    assert got.dtype == np.float32


def test_compressed_depth_that_was_quantised_is_metres():
    """compressed_depth_image_transport keeps the inverse of 32FC1, A / depth + B; A and B are in the header."""
    depth_m = np.array([[0.5, 1.0, 2.0]], np.float32)
    scale = 100.0 * (100.0 + 1.0)
    offset = 1.0 - scale / 10.0
    quantised = np.round(scale / depth_m + offset).astype(np.uint16)
    data = struct.pack('<iff', 0, scale, offset) + png(np.hstack([quantised, [[np.uint16(0)]]]).astype(np.uint16))
    got = depth_from_msg(compressed('32FC1; compressedDepth png', data))
    assert got[0, :3] == pytest.approx(depth_m[0], rel=1e-3)
    assert got[0, 3] == 0


@pytest.mark.parametrize(
    ('convert', 'format_text', 'data', 'reason'),
    [
        (rgb_from_msg, 'jpeg', b'', '0 bytes of .jpeg. cannot be decoded as a picture'),
        (rgb_from_msg, 'jpeg', b'noise', 'cannot be decoded as a picture'),
        (depth_from_msg, '16UC1; compressedDepth rvl', bytes(20), 'must be'),
        (depth_from_msg, 'jpeg', bytes(20), 'must be'),
        (depth_from_msg, '16UC1; compressedDepth png', bytes(5), 'cannot be decoded as a picture'),
        (depth_from_msg, '16UC1; compressedDepth png', bytes(12) + png(RGB), 'must hold 16 bits'),
    ],
)
def test_a_compressed_image_that_cannot_be_used_is_refused(convert, format_text, data, reason):
    with pytest.raises(ValueError, match=reason):
        convert(compressed(format_text, data))


def test_joints_are_read_by_name_and_bad_ones_refused():
    assert joints_from_msg(JointState(name=['a', 'b'], position=[1.0, 2.0])) == {'a': 1.0, 'b': 2.0}
    with pytest.raises(ValueError, match='2 joints but give 1 positions'):
        joints_from_msg(JointState(name=['a', 'b'], position=[1.0]))
    with pytest.raises(ValueError, match='not finite'):
        joints_from_msg(JointState(name=['a'], position=[float('nan')]))
