"""The robot as lines from link to link, and the path of a hand, for a simple drawing."""

from collections.abc import Mapping, Sequence

import numpy as np

from lucca_robot.kinematics import RobotKinematics
from lucca_robot.profile import RobotProfile
from lucca_view.events import PathPlanned

Point = tuple[float, float, float]

MOST_JOINT = 100.0
"""Positions of joints (rad or m) beyond this are not drawn: a damaged recording may hold any number."""


def drawable(joints: Mapping[str, float]) -> dict[str, float]:
    """The joints whose position can be drawn."""
    return {name: position for name, position in joints.items() if abs(position) < MOST_JOINT}


class RobotLines:
    """Draws one robot. Not thread-safe.

    Joints whose position cannot be drawn are at rest; a path with such a position is left out.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._profile = profile
        self._poses = RobotKinematics(profile)
        head = {joint.child for joint in profile.description.chain(profile.camera_link) if joint.moves}
        self._shown = head.union(*(profile.arm_links(arm) for arm in profile.arms))

    @property
    def table_top_m(self) -> float:
        """Height of the table in the world."""
        return self._profile.table_top_m

    def lines(self, joints: Mapping[str, float]) -> list[tuple[Point, Point]]:
        """Both ends of each link of the arms and the head in the world, in m; without stands and mounts."""
        self._poses.update(drawable(joints))
        found = []
        for joint in self._profile.description.joints:
            if joint.parent in self._shown and joint.child in self._shown:
                ends = self._place(joint.parent), self._place(joint.child)
                if ends[0] != ends[1]:
                    found.append(ends)
        return found

    def path(self, planned: PathPlanned, joints: Mapping[str, float], most: int = 40) -> list[Point]:
        """Positions of an arm's tool along its planned path, in the world, in m; at most `most` points,
        the first and the last one among them."""
        if planned.arm not in self._profile.arms or not planned.positions:
            return []
        count = len(planned.positions)
        chosen = np.linspace(0, count - 1, min(count, most)).round().astype(int)
        rows = [planned.positions[at] for at in chosen]
        if not all(abs(position) < MOST_JOINT for row in rows for position in row):
            return []
        return [self._tool(planned, row, drawable(joints)) for row in rows]

    def _tool(self, planned: PathPlanned, row: Sequence[float], joints: Mapping[str, float]) -> Point:
        self._poses.update({**joints, **dict(zip(planned.joints, row, strict=False))})
        x, y, z = map(float, self._poses.tool_position(planned.arm))
        return round(x, 3), round(y, 3), round(z, 3)

    def _place(self, link: str) -> Point:
        x, y, z = map(float, self._poses.link_pose(link)[1])
        return round(x, 3), round(y, 3), round(z, 3)
