"""Compares a calibrated camera pose with the table: with its known height, and with what depth images show of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from lucca_core.errors import PerceptionError
from perception_node.camera import Doubles, Floats
from perception_node.camera_calibration import PlacedBoard
from perception_node.camera_pose import CameraPose, make_camera
from perception_node.lens import Lens, Rectifier

MOST_BOARD_OFF_M = 0.02
"""Largest distance of the board from the table top; a board may be glued on a plate."""
MOST_TABLE_OFF_M = 0.01
"""Largest distance of the table in depth images from its known height, at the place of the board."""
MOST_TABLE_TILT_DEG = 1.0
"""Largest angle between the table in depth images and the horizontal."""

# The table is looked for in a strip around the board that begins and ends so far from it.
_BEGINS_M, _ENDS_M = 0.03, 0.12
_NEAR_M = 0.008
_TRIES, _FITS = 200, 2
_MOST_POINTS = 4000
_LEAST_POINTS = 500
_LEAST_SHARE = 0.5
# A plane that is steeper than this has no height at the board; its tilt is refused anyway.
_LEAST_UPRIGHT = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class DepthView:
    """An unrectified depth image (h, w) in m, 0 where unknown, and the pose of its camera in the world."""

    depth_m: Floats
    pose: CameraPose


@dataclass(frozen=True, slots=True)
class TableSeen:
    """The table as depth images and a camera pose show it.

    `above_m`: how far it is above its known height where the board lies. `tilt_deg`: its angle to the horizontal.
    """

    above_m: float
    tilt_deg: float

    def check(self) -> None:
        """Checks that the table is where it is known to be.

        Raises:
            PerceptionError: it is not; the message has the figures.
        """
        if abs(self.above_m) <= MOST_TABLE_OFF_M and self.tilt_deg <= MOST_TABLE_TILT_DEG:
            return
        raise PerceptionError(
            f'with this pose, the depth pictures show the table {1e3 * self.above_m:+.1f} mm from its known height and '
            f'tilted by {self.tilt_deg:.2f} degrees, more than {1e3 * MOST_TABLE_OFF_M:g} mm or '
            f'{MOST_TABLE_TILT_DEG:g} degrees: are the height and the squares of the board, the camera info and '
            "the profile's table_top_m right, and does the board lie flat?"
        )


def board_above_table_m(placed: PlacedBoard, table_top_m: float) -> float:
    """How far the board is above the table top whose world z is `table_top_m`, in m.

    Raises:
        PerceptionError: more than `MOST_BOARD_OFF_M` above or below.
    """
    above_m = float(placed.position_m[2]) - table_top_m
    if abs(above_m) > MOST_BOARD_OFF_M:
        raise PerceptionError(
            f'the board is given {1e3 * above_m:+.1f} mm from the table (table_top_m {table_top_m:g}), more than '
            f'{1e3 * MOST_BOARD_OFF_M:g} mm: are --board-at and --robot right?'
        )
    return above_m


def table_seen(views: Sequence[DepthView], placed: PlacedBoard, lens: Lens, table_top_m: float) -> TableSeen:
    """The table around the board, as depth images show it.

    Args:
        views: depth images registered to the colour camera, with the poses that are to be checked.
        placed: the board, which may be on a plate; where it appears in the images follows from the poses.
        lens: lens of the colour camera.
        table_top_m: known world z of the table.

    Raises:
        PerceptionError: an image has another size than the lens, or shows no plane around the board.
    """
    points = np.vstack([np.empty((0, 3)), *(_around(view, placed, lens) for view in views)])
    if len(points) < _LEAST_POINTS:
        raise PerceptionError(
            f'the depth pictures show {len(points)} points around the board; at least {_LEAST_POINTS} are needed'
        )
    centre, normal, share = _plane(points)
    if share < _LEAST_SHARE:
        raise PerceptionError(
            f'only {share:.0%} of what the depth pictures show around the board is in one plane, less than '
            f'{_LEAST_SHARE:.0%}: clear the table {100 * _ENDS_M:g} cm around the board'
        )
    middle = placed.in_world(placed.board.outline_m).mean(axis=0)
    height_m = centre[2] - float((middle - centre)[:2] @ normal[:2]) / max(float(normal[2]), _LEAST_UPRIGHT)
    tilt_deg = float(np.degrees(np.arccos(min(1.0, normal[2]))))
    return TableSeen(float(height_m) - table_top_m, tilt_deg)


def _around(view: DepthView, placed: PlacedBoard, lens: Lens) -> Doubles:
    """Points in the world, (n, 3) in m, that a depth image shows in a strip around the board."""
    try:
        depth_m = Rectifier(lens).rectified(view.depth_m)
    except ValueError as error:
        raise PerceptionError(f'the depth pictures do not fit: {error}') from error
    item = lens.intrinsics
    camera = make_camera(item, view.pose)
    if depth_m.shape != (item.height, item.width):
        raise PerceptionError(
            f'camera info is for {item.width}x{item.height} pixels, but a depth picture has '
            f'{depth_m.shape[1]}x{depth_m.shape[0]}: depth must be registered to the pictures'
        )
    strip = np.zeros(depth_m.shape, np.uint8)
    for margin_m, value in ((_ENDS_M, 1), (_BEGINS_M, 0)):
        pixels, ahead = camera.project(placed.in_world(_widened(placed.board.outline_m, margin_m)))
        if (ahead <= 0).any():
            return np.empty((0, 3))
        cv2.fillConvexPoly(strip, np.rint(pixels).astype(np.int32), value)
    rows, columns = np.nonzero((strip > 0) & (depth_m > 0))
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), _MOST_POINTS)).astype(int)
    rows, columns = rows[chosen], columns[chosen]
    depths = depth_m[rows, columns].astype(np.float64)
    rays = np.column_stack([ray[rows, columns] for ray in camera.rays])
    points: Doubles = view.pose.position_m + depths[:, None] * rays
    return points


def _widened(outline_m: Doubles, margin_m: float) -> Doubles:
    """A board's outline (4, 3), wider on all sides."""
    x, y, _ = outline_m[2] / 2
    wider: Doubles = outline_m + margin_m * np.sign(outline_m - [x, y, 0.0])
    return wider


def _plane(points: Doubles) -> tuple[Doubles, Doubles, float]:
    """The plane of most points (n, 3): a point (3,), the upward unit normal (3,), and the share of points near it."""
    rng = np.random.default_rng(0)
    best = np.zeros(len(points), bool)
    for _ in range(_TRIES):
        first, second, third = points[rng.integers(len(points), size=3)]
        normal = np.cross(second - first, third - first)
        length = float(np.linalg.norm(normal))
        near = np.abs((points - first) @ normal) < _NEAR_M * length
        if np.count_nonzero(near) > np.count_nonzero(best):
            best = near
    for _ in range(_FITS):
        centre = points[best].mean(axis=0)
        normal = np.linalg.svd(points[best] - centre, full_matrices=False)[2][-1]
        best = np.abs((points - centre) @ normal) < _NEAR_M
    return centre, normal * (1.0 if normal[2] >= 0 else -1.0), float(best.mean())
