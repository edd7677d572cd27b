"""The robot at its table as seen from outside, with the shadows of its arms on the table, for films."""

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from lucca_view.pictures import Picture
from lucca_view.robot_lines import Point, RobotLines, drawable
from lucca_view.session import SessionView

WIDTH, HEIGHT = 600, 450
_FAR_PX = 4000
"""How far outside a picture something is drawn; OpenCV takes no larger numbers for pixels than 32 bits hold."""
_TURN_RAD, _TILT_RAD = 0.6, 0.6
_CENTRE_M = (0.4, 0.0, 0.15)
"""What the picture is centred on: x and y in the world, z above the table."""
_AWAY_M, _SCALE_PX = 2.4, 530.0
_TABLE_M = ((0.15, -0.6), (0.95, -0.6), (0.95, 0.6), (0.15, 0.6))
_STEPS = 12
"""A shadow is drawn in this many parts of a link, as only those above the table fall on it."""
_TABLE, _EDGE, _SHADOW, _ARM, _PATH, _BOX, _OBJECT = (
    (246, 248, 250),
    (158, 149, 140),
    (205, 205, 205),
    (106, 96, 87),
    (41, 99, 17),
    (0, 56, 149),
    (174, 80, 5),
)


def pixel(x: float, y: float) -> tuple[int, int]:
    """The pixel of a point, or one far outside the picture. A damaged recording may hold any number."""
    return _near(x), _near(y)


def _near(value: float) -> int:
    return _FAR_PX if math.isnan(value) else round(min(max(value, -_FAR_PX), _FAR_PX))


def outside_picture(view: SessionView, robot: RobotLines) -> Picture:
    """Robot, planned path, objects and containers, (HEIGHT, WIDTH, 3) in BGR."""
    drawn: Picture = np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)
    top_m = robot.table_top_m
    table = np.array([_pixel((x, y, top_m), top_m) for x, y in _TABLE_M], dtype=np.int32)
    cv2.fillPoly(drawn, [table], _TABLE, cv2.LINE_AA)
    cv2.polylines(drawn, [table], True, _EDGE, 2, cv2.LINE_AA)
    joints = drawable(view.joints)
    links = robot.lines(joints) if joints else []
    for link in links:
        for part in _shadow(link, top_m):
            _line(drawn, part, top_m, _SHADOW, 7)
    if view.scene is not None:
        for place in view.scene.value.containers:
            _block(drawn, place.position_world_m, (*place.size_m[:2], 0.0), top_m, _BOX)
        for item in view.scene.value.objects:
            _block(drawn, item.pose_world.position_m, item.size_m, top_m, _OBJECT)
    if view.path is not None and joints:
        for part in pairwise(robot.path(view.path, joints)):
            _line(drawn, part, top_m, _PATH, 2)
    for link in links:
        _line(drawn, link, top_m, _ARM, 6)
    return drawn


def _shadow(link: tuple[Point, Point], top_m: float) -> list[tuple[Point, Point]]:
    """The parts of a link's shadow on the table, with the light straight above."""
    places = np.linspace(link[0], link[1], _STEPS + 1)
    (left, _), (right, _) = _TABLE_M[0], _TABLE_M[1]
    low, high = _TABLE_M[1][1], _TABLE_M[2][1]
    on = [left <= x <= right and low <= y <= high and z > top_m for x, y, z in places]
    flat: list[Point] = [(float(x), float(y), top_m) for x, y, _ in places]
    return [(flat[at], flat[at + 1]) for at in range(_STEPS) if on[at] and on[at + 1]]


def _block(drawn: Picture, centre: Point, size_m: Point, top_m: float, colour: tuple[int, int, int]) -> None:
    """The edges of a block that is centred there and parallel to the axes."""
    corners = [
        tuple(c + sign * size / 2 for c, size, sign in zip(centre, size_m, signs, strict=True))
        for signs in ((i, j, k) for k in (-1, 1) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    ]
    for at in range(4):
        for pair in ((at, (at + 1) % 4), (at + 4, (at + 1) % 4 + 4), (at, at + 4)):
            _line(drawn, (corners[pair[0]], corners[pair[1]]), top_m, colour, 2)


def _line(
    drawn: Picture, ends: tuple[Sequence[float], Sequence[float]], top_m: float, colour: tuple[int, int, int], px: int
) -> None:
    cv2.line(drawn, _pixel(ends[0], top_m), _pixel(ends[1], top_m), colour, px, cv2.LINE_AA)


def _pixel(place: Sequence[float], top_m: float) -> tuple[int, int]:
    """The pixel of a point of the world, seen from in front of the table and above it."""
    dx, dy, dz = place[0] - _CENTRE_M[0], place[1] - _CENTRE_M[1], place[2] - top_m - _CENTRE_M[2]
    towards = dx * math.cos(_TURN_RAD) + dy * math.sin(_TURN_RAD)
    side = dy * math.cos(_TURN_RAD) - dx * math.sin(_TURN_RAD)
    scale = _SCALE_PX / max(0.3, _AWAY_M - towards * math.cos(_TILT_RAD) - dz * math.sin(_TILT_RAD))
    down = dz * math.cos(_TILT_RAD) - towards * math.sin(_TILT_RAD)
    return pixel(WIDTH / 2 + side * scale, 0.42 * HEIGHT - down * scale)
