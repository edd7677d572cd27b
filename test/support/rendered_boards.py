"""Pictures and depth of a board on a table, with noise, blur and distortion, from a camera whose pose is known."""

from pathlib import Path

import cv2
import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from lucca_robot.profile import RobotProfile, load_profile
from perception_node.camera import Intrinsics
from perception_node.camera_calibration import Board, PlacedBoard
from perception_node.camera_pose import CameraPose
from perception_node.lens import Lens

ROOT = Path(__file__).resolve().parent.parent.parent
BOARD = Board()
CAMERA = Intrinsics(width=640, height=480, fx=579.4, fy=579.4, cx=319.5, cy=239.5)
D455 = (-0.0560, 0.0655, -0.0004, 0.0006, -0.0210)
LENS = Lens(intrinsics=CAMERA, coefficients=D455)
TABLE_M = 0.8
FLAT = np.diag([1.0, -1.0, -1.0])
# Looks 63 degrees down from the face, with x to the right and z ahead.
LOOKS_DOWN = Rotation.from_euler('y', 1.1).as_matrix() @ np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


def drawn_pose(rng: np.random.Generator) -> CameraPose:
    """A camera 0.8 to 1.3 m above and before the table that looks at the board."""
    position = np.array([rng.uniform(0.5, 1.0), rng.uniform(-0.35, 0.35), TABLE_M + rng.uniform(0.8, 1.3)])
    target = np.array([0.45, 0.0, TABLE_M]) + rng.normal(size=3) * 0.03
    ahead = (target - position) / np.linalg.norm(target - position)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    frame = np.column_stack([right, np.cross(ahead, right), ahead])
    return CameraPose(frame @ Rotation.from_rotvec([0.0, 0.0, rng.uniform(-0.3, 0.3)]).as_matrix(), position)


def board_place(
    rng: np.random.Generator, board: Board = BOARD, middle: tuple[float, float, float] = (0.45, 0.0, TABLE_M)
) -> PlacedBoard:
    """The board on the table, seen from above: its x and y axes make z look down."""
    flat = Rotation.from_euler('z', rng.uniform(-np.pi, np.pi)).as_matrix() @ FLAT
    half = np.array([board.columns, board.rows, 0.0]) * board.square_m / 2
    return PlacedBoard(board=board, rotation=flat, position_m=np.array(middle) - flat @ half)


def rays_of(camera: CameraPose) -> np.ndarray:
    """Directions in the world per metre of depth, for each pixel of the bent lens: (h * w, 3)."""
    columns, rows = np.meshgrid(np.arange(CAMERA.width, dtype=float), np.arange(CAMERA.height, dtype=float))
    matrix = np.array([[CAMERA.fx, 0, CAMERA.cx], [0, CAMERA.fy, CAMERA.cy], [0, 0, 1.0]])
    straight = cv2.undistortPoints(np.stack((columns, rows), -1).reshape(-1, 1, 2), matrix, np.array(D455))[:, 0]
    return np.column_stack((straight, np.ones(len(straight)))) @ camera.rotation.T


def on_board(camera: CameraPose, placed: PlacedBoard) -> tuple[np.ndarray, np.ndarray]:
    """Where the rays of all pixels meet the plane of the board: in its frame (n, 2), and the depth (n,), in m."""
    rays, normal = rays_of(camera), placed.rotation[:, 2]
    depth = ((placed.position_m - camera.position_m) @ normal) / (rays @ normal)
    points = (camera.position_m + rays * depth[:, None] - placed.position_m) @ placed.rotation
    return points[:, :2], depth


def sharp_view(camera: CameraPose, placed: PlacedBoard) -> np.ndarray:
    """What a bent lens shows of the board with a table around it: (h, w)."""
    picture = placed.board.picture()
    pixel_m = placed.board.square_m * placed.board.columns / picture.shape[1]
    across = (on_board(camera, placed)[0] / pixel_m - 0.5).astype(np.float32)
    across = across.reshape(CAMERA.height, CAMERA.width, 2)
    blurred = cv2.GaussianBlur(picture, (0, 0), 3.0)
    return cv2.remap(blurred, across[..., 0], across[..., 1], cv2.INTER_LINEAR, borderValue=150).astype(float)


def rendered(rng: np.random.Generator, camera: CameraPose, placed: PlacedBoard, count: int = 1) -> list[np.ndarray]:
    """Pictures of one view, each with blur and noise of its own: (h, w, 3)."""
    view, pictures = sharp_view(camera, placed), []
    for _ in range(count):
        seen = cv2.GaussianBlur(view, (0, 0), rng.uniform(0.4, 1.0))
        seen += rng.normal(size=seen.shape) * rng.uniform(2.0, 6.0)
        pictures.append(np.repeat(np.clip(seen, 0, 255).astype(np.uint8)[..., None], 3, axis=2))
    return pictures


def depth_mm(
    rng: np.random.Generator, camera: CameraPose, placed: PlacedBoard, table_m: float = TABLE_M, noise_m: float = 0.002
) -> np.ndarray:
    """The depth of the table with the board on it, in whole mm, with noise, and 0 in one pixel of twenty: (h, w)."""
    rays, (across, to_board) = rays_of(camera), on_board(camera, placed)
    to_table = (table_m - camera.position_m[2]) / rays[:, 2]
    size = placed.board.outline_m[2][:2]
    depth = np.where(((across >= 0) & (across <= size)).all(axis=1), to_board, to_table)
    seen = np.rint(1e3 * (depth + rng.normal(size=len(depth)) * noise_m))
    seen[rng.random(len(depth)) < 0.05] = 0
    return seen.astype(np.uint16).reshape(CAMERA.height, CAMERA.width)


def metres(depth: np.ndarray) -> np.ndarray:
    """A depth image in m, as it is given to the check."""
    return depth.astype(np.float32) * np.float32(1e-3)


def head_profile(folder: Path) -> RobotProfile:
    """NICOL with its camera on its face, in place of the one above the table."""
    said = yaml.safe_load((ROOT / 'config' / 'robots' / 'nicol.yaml').read_text())
    turned = Rotation.from_matrix(LOOKS_DOWN).as_euler('xyz').tolist()
    said |= {
        'urdf': str(ROOT / 'config' / 'robots' / 'nicol.urdf'),
        'frames': {'head_camera': {'link': 'face_link', 'xyz': [0.1, 0.0, 0.06], 'rpy': turned}},
        'camera_link': 'head_camera',
    }
    file = folder / 'nicol_head.yaml'
    file.write_text(yaml.safe_dump(said))
    return load_profile(file)


def write_camera_info(file: Path) -> None:
    """Camera info of LENS, as `ros2 topic echo` writes it."""
    info = {'width': CAMERA.width, 'height': CAMERA.height, 'distortion_model': 'plumb_bob', 'd': list(D455)}
    info['k'] = [CAMERA.fx, 0.0, CAMERA.cx, 0.0, CAMERA.fy, CAMERA.cy, 0.0, 0.0, 1.0]
    file.write_text(yaml.safe_dump(info) + '---\n')
