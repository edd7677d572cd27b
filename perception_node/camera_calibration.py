"""Calibration of a fixed camera's pose in the world, from images of a ChArUco board at a known place on the table."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from lucca_core.errors import PerceptionError
from perception_node.camera import Doubles
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
class CameraPose:
    """Pose of the optical frame in the world: rotation (3, 3) and position (3,) in m; and how well the images agree.

    `pictures`: number of images in which the board was seen. `residual_px`: root mean square over all corners.
    """

    rotation: Doubles
    position_m: Doubles
    pictures: int
    residual_px: float

    @property
    def parameter(self) -> list[float]:
        """The pose as perception's parameter `camera_pose`: x y z qx qy qz qw."""
        return [*map(float, self.position_m), *map(float, Rotation.from_matrix(self.rotation).as_quat())]

    def off_by(self, rotation: Doubles, position_m: Doubles) -> tuple[float, float]:
        """Distance in mm and angle in degrees to another pose."""
        turn = Rotation.from_matrix(self.rotation.T @ rotation).magnitude()
        return 1e3 * float(np.linalg.norm(self.position_m - position_m)), float(np.degrees(turn))


def camera_pose(
    pictures: Sequence[Image], board: Board, board_rotation: Doubles, board_position_m: Doubles, lens: Lens
) -> CameraPose:
    """The pose of a camera, from unrectified images (h, w, 3) or (h, w) of a board that did not move.

    Args:
        pictures: images of one camera that stands still; several of them average out noise.
        board: the board in the images.
        board_rotation: rotation of the board's frame in the world, (3, 3).
        board_position_m: position of its origin in the world, (3,).
        lens: the camera's lens.

    Raises:
        PerceptionError: the board is not seen or does not fit the images, or an image has another size than the lens.
    """
    size = (lens.intrinsics.height, lens.intrinsics.width)
    if odd := [picture.shape[:2] for picture in pictures if picture.shape[:2] != size]:
        raise PerceptionError(
            f'camera info is for {size[1]}x{size[0]} pixels, but a picture has {odd[0][1]}x{odd[0][0]}: '
            'take both from one stream'
        )
    points, pixels, seen = _corners_in(pictures, board)
    # Many images of the same few corners average out their noise, but do not determine the board's tilt any better.
    different = len(np.unique(points, axis=0))
    if different < LEAST_CORNERS:
        raise PerceptionError(
            f'the board was seen in {seen} of {len(pictures)} pictures, with {different} of its corners; at least '
            f'{LEAST_CORNERS} are needed: is all of it in the picture, in focus, and {board.columns}x{board.rows}?'
        )
    matrix, bend = _camera_matrix(lens), np.array(lens.coefficients or (0.0,) * 5)
    if lens.bends and lens.model == FISHEYE:
        pixels = cv2.fisheye.undistortPoints(pixels[:, None], matrix, bend, P=matrix)[:, 0]
        bend = np.zeros(5)
    found, turn, shift = cv2.solvePnP(points, pixels, matrix, bend, flags=cv2.SOLVEPNP_IPPE)
    if found:
        turn, shift = cv2.solvePnPRefineLM(points, pixels, matrix, bend, turn, shift)
    shown = cv2.projectPoints(points, turn, shift, matrix, bend)[0][:, 0]
    residual = float(np.sqrt(np.mean(np.sum((shown - pixels) ** 2, axis=1))))
    if not found or not residual <= MOST_RESIDUAL_PX:
        raise PerceptionError(
            f'the board fits the pictures only within {residual:.2f} px, more than {MOST_RESIDUAL_PX:g} px: '
            'are the size of its squares and the camera info right, and did it lie still?'
        )
    # OpenCV returns the board's pose in the camera frame; the camera's pose in the world is needed.
    to_camera = cv2.Rodrigues(turn)[0]
    rotation = board_rotation @ to_camera.T
    position = board_position_m - rotation @ shift[:, 0]
    return CameraPose(rotation=rotation, position_m=position, pictures=seen, residual_px=residual)


def _corners_in(pictures: Sequence[Image], board: Board) -> tuple[Doubles, Doubles, int]:
    """Corners on the board (n, 3) in m, their pixels (n, 2), and the number of pictures that show any."""
    pattern = board.pattern()
    detector = cv2.aruco.CharucoDetector(pattern)
    places = np.asarray(pattern.getChessboardCorners(), np.float64)
    points, pixels, seen = [np.empty((0, 3))], [np.empty((0, 2))], 0
    for picture in pictures:
        grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        corners, ids, _, _ = detector.detectBoard(grey)
        if ids is None or len(ids) == 0:
            continue
        seen += 1
        points.append(places[np.asarray(ids).ravel()])
        pixels.append(np.asarray(corners, np.float64).reshape(-1, 2))
    return np.vstack(points), np.vstack(pixels), seen


def _camera_matrix(lens: Lens) -> Doubles:
    item = lens.intrinsics
    return np.array([[item.fx, 0.0, item.cx], [0.0, item.fy, item.cy], [0.0, 0.0, 1.0]])
