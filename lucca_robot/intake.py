"""Finding the arms and hands in a new robot's description, drafting its profile, and listing what is missing."""

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from lucca_robot.description import Joint, RobotDescription
from lucca_robot.kinematics import LinkPoses
from lucca_robot.profile import SIDES
from lucca_robot.urdf import ONE_TURN, UNLIMITED

Array = NDArray[np.float64]

LEAST_ARM_JOINTS = 5
"""Five joints are needed to bring a hand to a place with a given approach direction."""
_GRIP = re.compile(r'grip|finger|jaw|hand|thumb|clamp', re.IGNORECASE)
_TIP = 0.2
"""Links that reach into this share of the fingers' length, counted from the tip, are their last ones."""
_CAMERA = re.compile(r'camera|rgb|realsense|kinect|zed|orbbec|xtion', re.IGNORECASE)
_OPTICAL = re.compile(r'optical', re.IGNORECASE)
_CAMERA_FRAME = 'camera'
"""Link of the camera in a begun profile if none was found."""


@dataclass(frozen=True, slots=True)
class FoundHand:
    """A hand at the end of an arm: the joints to command, those that follow them, and the links of its fingers."""

    palm: str
    joints: tuple[str, ...]
    followers: tuple[str, ...]
    fingers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundArm:
    """A chain of joints that ends in a hand, or in a link after which nothing moves."""

    joints: tuple[str, ...]
    tip: str
    hand: FoundHand | None


def find_arms(description: RobotDescription) -> tuple[FoundArm, ...]:
    """Chains of at least `LEAST_ARM_JOINTS` joints, each carrying only the next one; arms with hands come first.

    A hand begins where a chain branches into fingers, or with a last joint whose name, or that of its link, suggests a
    gripper.
    """
    below = _next_moving(description)
    found = []
    for first in description.moving_joints:
        if _is_continued(description, below, first):
            continue
        chain = [first]
        while len(after := below[chain[-1].name]) == 1:
            chain.append(after[0])
        after = below[chain[-1].name]
        # What turns without end beside fingers, such as the disc that drives them, is none.
        fingers = tuple(joint for joint in after if not _is_endless(joint)) or tuple(after)
        if not fingers and len(chain) > 1 and _GRIP.search(f'{chain[-1].name} {chain[-1].child}'):
            fingers = (chain.pop(),)
        if len(chain) >= LEAST_ARM_JOINTS and not any(_GRIP.search(joint.name) for joint in chain[:2]):
            found.append(_arm(description, chain, fingers))
    return tuple(sorted(found, key=lambda arm: (arm.hand is None, -_side_of(description, arm))))


def missing_for(description: RobotDescription, arms: Sequence[FoundArm], given: Collection[str] = ()) -> list[str]:
    """What a manipulator with this description still lacks, one sentence each. `given`: keys that its profile has."""
    missing = []
    if not arms:
        most = max((len(description.chain(link.name)) for link in description.links), default=0)
        missing.append(
            f'an arm: no unbranched chain of {LEAST_ARM_JOINTS} or more moving joints was found '
            f'(the longest path from the root has {most} joints)'
        )
    useful = [arm for arm in arms if arm.hand is not None]
    # If there are hands, chains without a hand are legs.
    for arm in useful or arms:
        if arm.hand is None:
            missing.append(
                f'a hand on {arm.tip!r}: nothing moves beyond {arm.joints[-1]!r}; add a gripper with `parts`'
            )
        elif not [finger for finger in arm.hand.fingers if description.link(finger).shapes]:
            missing.append(f'collision solids on the fingers {list(arm.hand.fingers)}')
        for name in (*arm.joints, *(arm.hand.joints if arm.hand else ())):
            if description.joint(name).velocity >= UNLIMITED:
                missing.append(f'a velocity limit for {name!r}')
    if len(useful) > len(SIDES):
        missing.append(f'a choice of two arms: {len(useful)} arms with hands were found')
    named = _CAMERA_FRAME in {link.name for link in description.links}
    if not ('camera_link' in given or camera_link(description) or named):
        missing.append('a camera link; add one with `frames`')
    if 'table_top_m' not in given:
        missing.append('table_top_m, the height of the table above the root link')
    missing.append('the home posture of each arm: the middle of its limits is only a first guess')
    return missing


def camera_link(description: RobotDescription) -> str | None:
    """The link of a camera's optical frame, or None."""
    names = [link.name for link in description.links if _CAMERA.search(link.name) and _OPTICAL.search(link.name)]
    return min(names, key=lambda name: ('depth' in name, 'ir' in name, len(name)), default=None)


def begun_profile(description: RobotDescription, urdf: Path, arms: Sequence[FoundArm]) -> dict[str, Any]:
    """A first version of a profile with the first two arms that have hands; for keys see docs/howto/own_robot.md."""
    chosen = [arm for arm in arms if arm.hand is not None][: len(SIDES)]
    # The arms are sorted from the robot's left to its right.
    return {
        'name': description.name,
        'urdf': str(urdf),
        'table_top_m': 0.8,
        'camera_link': camera_link(description) or _CAMERA_FRAME,
        'head': {'controller': 'head_controller', 'joints': [], 'home': []},
        'arms': {side: _arm_section(description, side, arm) for side, arm in zip(SIDES, chosen, strict=False)},
    }


def _next_moving(description: RobotDescription) -> Mapping[str, list[Joint]]:
    """The next moving joints after each moving joint, by its name; fixed joints in between are skipped."""
    below: dict[str, list[Joint]] = {joint.name: [] for joint in description.moving_joints}
    for joint in description.moving_joints:
        before = [other for other in description.chain(joint.parent) if other.moves]
        if before:
            below[before[-1].name].append(joint)
    return below


def _is_endless(joint: Joint) -> bool:
    return joint.kind == 'revolute' and joint.lower <= -ONE_TURN and joint.upper >= ONE_TURN


def _is_continued(description: RobotDescription, below: Mapping[str, list[Joint]], joint: Joint) -> bool:
    before = [other for other in description.chain(joint.parent) if other.moves]
    return bool(before) and len(below[before[-1].name]) == 1


def _arm(description: RobotDescription, chain: Sequence[Joint], fingers: Sequence[Joint]) -> FoundArm:
    hand = None
    if fingers:
        subtree = {link for finger in fingers for link in description.subtree(finger.child)}
        moving = [joint for joint in description.moving_joints if joint.child in subtree]
        hand = FoundHand(
            palm=fingers[0].parent,
            joints=tuple(joint.name for joint in moving if joint.mimic is None),
            followers=tuple(joint.name for joint in moving if joint.mimic is not None),
            fingers=tuple(sorted(subtree)),
        )
    return FoundArm(tuple(joint.name for joint in chain), chain[-1].child, hand)


def _side_of(description: RobotDescription, arm: FoundArm) -> float:
    """World y of the arm's first link (m); larger values are further to the left."""
    return float(LinkPoses(description).link_pose(description.joint(arm.joints[0]).child)[1][1])


def _arm_section(description: RobotDescription, side: str, arm: FoundArm) -> dict[str, Any]:
    assert arm.hand is not None
    limits = [description.joint(name) for name in arm.joints]
    hand = arm.hand
    opened, closed = _postures(description, hand)
    axes, tool, tip = _tool_frame(description, hand, dict(zip(hand.joints, opened, strict=True)))
    turned = np.column_stack((axes[:, 2], axes[:, 1], -axes[:, 0]))
    return {
        'controller': f'{side}_arm_controller',
        'joints': list(arm.joints),
        'home': [round((joint.lower + joint.upper) / 2, 4) for joint in limits],
        'tool': {'link': hand.palm, 'xyz': _rounded(tool), 'rpy': _rounded(_rpy(axes))},
        'hand': {
            'controller': f'{side}_hand_controller',
            'joints': list(hand.joints),
            'open': opened,
            'closed': closed,
            'point': list(closed),
            'closed_above': 0.05,
            'tilts_rad': [0.0],
            'pointer': {'link': hand.palm, 'xyz': _rounded(tip), 'rpy': _rounded(_rpy(turned))},
        },
    }


def _postures(description: RobotDescription, hand: FoundHand) -> tuple[list[float], list[float]]:
    """Positions of the open and the closed hand. For each joint, the limit with the fingers further apart is open."""
    opened, closed = [], []
    for name in hand.joints:
        joint = description.joint(name)
        low, high = _spread(description, hand, {name: joint.lower}), _spread(description, hand, {name: joint.upper})
        opened.append(joint.lower if low > high else joint.upper)
        closed.append(joint.upper if low > high else joint.lower)
    return opened, closed


def _spread(description: RobotDescription, hand: FoundHand, positions: Mapping[str, float]) -> float:
    """Sum of the distances of the finger solids from their common centre (m)."""
    points = _points_of(description, hand, positions)
    middles = np.array([part.mean(axis=0) for part in points.values()])
    return float(np.linalg.norm(middles - middles.mean(axis=0), axis=1).sum()) if len(middles) else 0.0


def _points_of(description: RobotDescription, hand: FoundHand, positions: Mapping[str, float]) -> dict[str, Array]:
    """Corners of each finger's bounding boxes, in the frame of the palm."""
    poses = LinkPoses(description)
    poses.update(positions)
    palm_rotation, palm = poses.link_pose(hand.palm)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    found: dict[str, Array] = {}
    for link in hand.fingers:
        corners = []
        for shape in description.link(link).shapes:
            rotation, centre = poses.frame_pose(link, shape.origin)
            box = _box(shape.kind, shape.dimensions_m)
            world = centre + (signs * box + np.array(shape.box_centre_m)) @ rotation.T
            corners.append((world - palm) @ palm_rotation)
        if corners:
            found[link] = np.vstack(corners)
    return found


def _box(kind: str, dimensions_m: Sequence[float]) -> Array:
    if kind == 'sphere':
        return np.full(3, 2 * dimensions_m[0])
    if kind == 'capsule':
        return np.array([2 * dimensions_m[0], 2 * dimensions_m[0], dimensions_m[1] + 2 * dimensions_m[0]])
    return np.array(dimensions_m)


def _tool_frame(
    description: RobotDescription, hand: FoundHand, positions: Mapping[str, float]
) -> tuple[Array, Array, Array]:
    """Axes (3, 3) of the tool, its place half way down the fingers' last links, and their tip, in the palm's frame.

    The links before the last ones stand closer together, so that less would fit between them.
    """
    points = _points_of(description, hand, positions)
    if not points:
        return np.eye(3), np.zeros(3), np.zeros(3)
    middles = np.array([part.mean(axis=0) for part in points.values()])
    every = np.vstack(list(points.values()))
    ahead = _axis(middles.mean(axis=0))
    across = middles[0] - middles[-1]
    across = across - ahead * float(across @ ahead)
    across = _axis(across if np.linalg.norm(across) > 1e-6 else np.roll(ahead, 1))
    along = every @ ahead
    last = [part @ ahead for part in points.values() if (part @ ahead).max() > along.max() - _TIP * np.ptp(along)]
    centre = middles.mean(axis=0)
    flat = centre - ahead * float(centre @ ahead)
    axes = np.column_stack((across, np.cross(ahead, across), ahead))
    return axes, flat + ahead * float(np.concatenate(last).mean()), flat + ahead * float(along.max())


def _axis(vector: Array) -> Array:
    """The coordinate axis closest to a direction, as a unit vector."""
    axis = np.zeros(3)
    largest = int(np.abs(vector).argmax())
    axis[largest] = np.sign(vector[largest]) or 1.0
    return axis


def _rpy(axes: Array) -> Array:
    with warnings.catch_warnings():
        # If axes point along coordinates, the third angle is often undetermined; any value will do.
        warnings.simplefilter('ignore', UserWarning)
        angles: Array = Rotation.from_matrix(axes).as_euler('xyz')
    return angles


def _rounded(values: Array) -> list[float]:
    return [round(float(value), 6) + 0.0 for value in values]
