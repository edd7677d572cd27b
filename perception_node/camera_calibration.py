"""Calibration of a camera's pose, from images of a ChArUco board at a known place on the table.

Here the camera stands still. A camera on a head that moves is in `head_calibration.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from lucca_core.errors import PerceptionError
from perception_node.camera import Doubles
from perception_node.camera_pose import CameraPose
from perception_node.detector import Image
from perception_node.lens import FISHEYE, Lens

LEAST_CORNERS = 12
MOST_RESIDUAL_PX = 1.0
"""If the error is larger, the board is not the one described, or the camera is not calibrated."""
_DICTIONARY = cv2.aruco.DICT_4X4_50
_MARKER_SHARE = 0.72
_PIXELS_PER_SQUARE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A ChArUco board. Its frame has the origin at a corner of the board, x along `columns` and y along `rows`.

    `marker_share`: side of a marker relative to that of a square.
    """

    columns: int = 7
    rows: int = 5
    square_m: float = 0.055
    marker_share: float = _MARKER_SHARE

    def __post_init__(self) -> None:
        if not (3 <= self.columns <= 20 and 3 <= self.rows <= 20 and 0.005 <= self.square_m <= 0.5):
            raise ValueError(
                'a board has 3 to 20 columns and rows of squares of 0.005 to 0.5 m, '
                f'got {self.columns}x{self.rows} of {self.square_m:g} m'
            )

    @property
    def outline_m(self) -> Doubles:
        """Its four corners (4, 3) in its own frame, in m, one after the other around the board."""
        width, height = self.columns * self.square_m, self.rows * self.square_m
        return np.array([[0.0, 0.0, 0.0], [width, 0.0, 0.0], [width, height, 0.0], [0.0, height, 0.0]])

    def picture(self) -> Image:
        """An image (h, w) of the board, to print or to render."""
        size = (self.columns * _PIXELS_PER_SQUARE, self.rows * _PIXELS_PER_SQUARE)
        drawn: Image = self.pattern().generateImage(size)
        return drawn

    def pattern(self) -> cv2.aruco.CharucoBoard:
        """The board as an OpenCV object."""
        dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
        return cv2.aruco.CharucoBoard(
            (self.columns, self.rows), self.square_m, self.square_m * self.marker_share, dictionary
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedBoard:
    """A board that lies somewhere in the world: rotation (3, 3) of its frame, and position (3,) of its origin in m."""

    board: Board
    rotation: Doubles
    position_m: Doubles

    def in_world(self, points_m: Doubles) -> Doubles:
        """Points (n, 3) of the board's frame in the world, in m."""
        placed: Doubles = points_m @ self.rotation.T + self.position_m
        return placed


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The pose of a camera's optical frame, in the world or in the frame of the head, and how well the images agree.

    `pictures`: number of images in which the board was seen. `residual_px`: root mean square over all corners.
    """

    pose: CameraPose
    pictures: int
    residual_px: float

    def off_by(self, rotation: Doubles, position_m: Doubles) -> tuple[float, float]:
        """Distance in mm and angle in degrees to another pose in the same frame."""
        turn = Rotation.from_matrix(self.pose.rotation.T @ rotation).magnitude()
        return 1e3 * float(np.linalg.norm(self.pose.position_m - position_m)), float(np.degrees(turn))


def camera_pose(pictures: Sequence[Image], placed: PlacedBoard, lens: Lens) -> Calibration:
    """The pose of a camera in the world, from unrectified images (h, w, 3) or (h, w) of a board that did not move.

    Args:
        pictures: images of one camera that stands still; several of them average out noise.
        placed: the board in the images, and where it lies.
        lens: the camera's lens.

    Raises:
        PerceptionError: the board is not seen or does not fit the images, or an image has another size than the lens.
    """
    shown = [corners_in(picture, placed.board, lens) for picture in pictures]
    seen = [parts for parts in shown if len(parts[0])]
    points = np.vstack([np.empty((0, 3)), *(points for points, _ in seen)])
    pixels = np.vstack([np.empty((0, 2)), *(pixels for _, pixels in seen)])
    check_corners(points, len(seen), len(pictures), placed.board)
    found = pose_among(points, pixels, lens, cv2.SOLVEPNP_IPPE)
    if found is None or not found[1] <= MOST_RESIDUAL_PX:
        residual = float('inf') if found is None else found[1]
        raise PerceptionError(
            f'the board fits the pictures only within {residual:.2f} px, more than {MOST_RESIDUAL_PX:g} px: '
            'are the size of its squares and the camera info right, and did it lie still?'
        )
    pose, residual = found
    in_world = CameraPose(placed.rotation @ pose.rotation, placed.in_world(pose.position_m))
    return Calibration(pose=in_world, pictures=len(seen), residual_px=residual)


def check_corners(points: Doubles, seen: int, pictures: int, board: Board) -> None:
    """Checks that enough of a board was seen.

    Many images of the same few corners average out their noise, but do not determine the board's tilt any better.

    Args:
        points: the corners seen in all images, (n, 3) in the frame of the board.
        seen: the number of images that show any.
        pictures: the number of images.
        board: the board.

    Raises:
        PerceptionError: fewer than LEAST_CORNERS different corners were seen.
    """
    different = len(np.unique(points, axis=0))
    if different < LEAST_CORNERS:
        raise PerceptionError(
            f'the board was seen in {seen} of {pictures} pictures, with {different} of its corners; at least '
            f'{LEAST_CORNERS} are needed: is all of it in the picture, in focus, and {board.columns}x{board.rows}?'
        )


def pose_among(points: Doubles, pixels: Doubles, lens: Lens, method: int) -> tuple[CameraPose, float] | None:
    """The pose of a camera in the frame of the points that it sees, and the residual in px; None if there is none.

    Args:
        points: points (n, 3) in m.
        pixels: where they are in unrectified images, (n, 2).
        lens: the camera's lens.
        method: OpenCV's flag of a method that needs no first guess.
    """
    matrix, bend = _camera_matrix(lens), np.array(lens.coefficients or (0.0,) * 5)
    if lens.bends and lens.model == FISHEYE:
        pixels, bend = straightened(pixels, lens), np.zeros(5)
    found, turn, shift = cv2.solvePnP(points, pixels, matrix, bend, flags=method)
    if not found:
        return None
    turn, shift = cv2.solvePnPRefineLM(points, pixels, matrix, bend, turn, shift)
    shown = cv2.projectPoints(points, turn, shift, matrix, bend)[0][:, 0]
    residual = float(np.sqrt(np.mean(np.sum((shown - pixels) ** 2, axis=1))))
    # OpenCV returns the pose of the points in the camera's frame; the camera's pose among them is needed.
    rotation = cv2.Rodrigues(turn)[0].T
    return CameraPose(rotation, -rotation @ shift[:, 0]), residual


def straightened(pixels: Doubles, lens: Lens) -> Doubles:
    """Where pixels (n, 2) of an unrectified image would be without the bend of the lens."""
    if not lens.bends or not len(pixels):
        return pixels
    matrix, bend = _camera_matrix(lens), np.array(lens.coefficients)
    if lens.model == FISHEYE:
        straight: Doubles = cv2.fisheye.undistortPoints(pixels[:, None], matrix, bend, P=matrix)[:, 0]
    else:
        straight = cv2.undistortPoints(pixels[:, None], matrix, bend, P=matrix)[:, 0]
    return straight


def corners_in(picture: Image, board: Board, lens: Lens) -> tuple[Doubles, Doubles]:
    """The board's corners that an unrectified image shows: in the board's frame, (n, 3) in m, and their pixels (n, 2).

    Raises:
        PerceptionError: the image has another size than the lens.
    """
    size = (lens.intrinsics.height, lens.intrinsics.width)
    if picture.shape[:2] != size:
        raise PerceptionError(
            f'camera info is for {size[1]}x{size[0]} pixels, but a picture has {picture.shape[1]}x{picture.shape[0]}: '
            'take both from one stream'
        )
    pattern = board.pattern()
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(pattern).detectBoard(grey)
    if ids is None or len(ids) == 0:
        return np.empty((0, 3)), np.empty((0, 2))
    places = np.asarray(pattern.getChessboardCorners(), np.float64)
    return places[np.asarray(ids).ravel()], np.asarray(corners, np.float64).reshape(-1, 2)


def _camera_matrix(lens: Lens) -> Doubles:
    item = lens.intrinsics
    return np.array([[item.fx, 0.0, item.cx], [0.0, item.fy, item.cy], [0.0, 0.0, 1.0]])
