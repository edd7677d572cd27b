"""A robot as links with collision solids and joints with limits, whatever file it was read from."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vector3 = tuple[float, float, float]
Rgba = tuple[float, float, float, float]
Array = NDArray[np.float64]
ShapeKind = Literal['box', 'sphere', 'capsule', 'hull']

GREY: Rgba = (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class Origin:
    """Pose of a frame in its parent: xyz in m, and roll, pitch, yaw in rad about fixed axes (URDF's convention)."""

    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)

    @property
    def rotation(self) -> Array:
        """The rotation matrix (3, 3) of `rpy`."""
        return rotation_from_rpy(self.rpy)


@dataclass(frozen=True, slots=True)
class LinkShape:
    """One solid of a link.

    `dimensions_m`: full extents (3) of a box, radius (1) of a sphere, radius and distance between the centres of the
    round ends, along z, (2) of a capsule, full extents (3) of a hull. `corners_m`: the corners of a hull.
    """

    kind: ShapeKind
    dimensions_m: tuple[float, ...]
    origin: Origin = Origin()
    rgba: Rgba = GREY
    corners_m: tuple[Vector3, ...] = ()

    @property
    def box_centre_m(self) -> Vector3:
        """Centre of the bounding box in the solid's own frame: the middle of a hull, the origin of any other solid."""
        if not self.corners_m:
            return (0.0, 0.0, 0.0)
        corners = np.array(self.corners_m)
        x, y, z = (corners.min(axis=0) + corners.max(axis=0)) / 2
        return (float(x), float(y), float(z))


@dataclass(frozen=True, slots=True)
class MeshLook:
    """A mesh that pictures show and nothing collides with.

    `filename` is the description's, to be looked for from the file `beside`. Without `rgba`, the mesh has the colours
    of its file.
    """

    filename: str
    beside: str
    scale: Vector3 = (1.0, 1.0, 1.0)
    origin: Origin = Origin()
    rgba: Rgba | None = None


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass in kg, centre of mass in m, and inertia (ixx, iyy, izz, ixy, ixz, iyz) in kg m² about it."""

    mass_kg: float
    origin: Origin
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid part. `shapes` are its collision solids, in its own frame.

    `looks`: what pictures show in place of the solids; empty if they show the solids.
    """

    name: str
    shapes: tuple[LinkShape, ...] = ()
    inertial: Inertial | None = None
    looks: tuple[LinkShape | MeshLook, ...] = ()


@dataclass(frozen=True, slots=True)
class Mimic:
    """A rule by which a joint follows another one: `multiplier` times its position, plus `offset` (rad or m)."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint from `parent` to `child`; limits in rad (revolute) or m (prismatic).

    `endless`: it may turn on and on, and its driver may leave out whole turns.
    """

    name: str
    kind: Literal['fixed', 'revolute', 'prismatic']
    parent: str
    child: str
    origin: Origin
    axis: Vector3 = (0.0, 0.0, 1.0)
    lower: float = 0.0
    upper: float = 0.0
    velocity: float = 0.0
    effort: float = 0.0
    mimic: Mimic | None = None
    endless: bool = False

    @property
    def moves(self) -> bool:
        """False for a fixed joint."""
        return self.kind != 'fixed'


@dataclass(frozen=True)
class RobotDescription:
    """Links and joints of a robot. Every joint comes after the joint that carries its parent link."""

    name: str
    root: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    _links: dict[str, Link] = field(init=False, repr=False, compare=False)
    _joints: dict[str, Joint] = field(init=False, repr=False, compare=False)
    _by_child: dict[str, Joint] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, '_links', {link.name: link for link in self.links})
        object.__setattr__(self, '_joints', {joint.name: joint for joint in self.joints})
        object.__setattr__(self, '_by_child', {joint.child: joint for joint in self.joints})

    @property
    def moving_joints(self) -> tuple[Joint, ...]:
        """The joints that are not fixed."""
        return tuple(joint for joint in self.joints if joint.moves)

    @property
    def followers(self) -> tuple[Joint, ...]:
        """The moving joints that follow another joint."""
        return tuple(joint for joint in self.joints if joint.moves and joint.mimic)

    def with_followers(self, positions: Mapping[str, float]) -> dict[str, float]:
        """Positions by joint, with followers added whose leader is given."""
        complete = dict(positions)
        for joint in self.followers:
            if joint.mimic is not None and joint.mimic.joint in positions:
                value = joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
                complete[joint.name] = float(np.clip(value, joint.lower, joint.upper))
        return complete

    def link(self, name: str) -> Link:
        """Returns a link by name.

        Raises:
            KeyError: there is no such link.
        """
        return self._links[name]

    def joint(self, name: str) -> Joint:
        """Returns a joint by name.

        Raises:
            KeyError: there is no such joint.
        """
        return self._joints[name]

    def parent_joint(self, link: str) -> Joint | None:
        """The joint that carries a link; None for the root link."""
        return self._by_child.get(link)

    def chain(self, link: str) -> tuple[Joint, ...]:
        """The joints from the root to a link."""
        joints: list[Joint] = []
        joint = self.parent_joint(link)
        while joint is not None:
            joints.append(joint)
            joint = self.parent_joint(joint.parent)
        return tuple(reversed(joints))

    def part_from(self, root: str, without: Collection[str] = ()) -> 'RobotDescription':
        """A link and everything that it carries, as a separate description.

        Links in `without`, and what they carry, are left out.

        Raises:
            KeyError: there is no such link.
        """
        for name in (root, *without):
            self.link(name)
        names = set(self.subtree(root)).difference(*(self.subtree(name) for name in without))
        links = tuple(link for link in self.links if link.name in names)
        joints = tuple(joint for joint in self.joints if {joint.parent, joint.child} <= names)
        return RobotDescription(self.name, root, links, joints)

    def subtree(self, link: str) -> tuple[str, ...]:
        """A link and all links that it carries."""
        names = [link]
        for joint in self.joints:
            if joint.parent in names:
                names.append(joint.child)
        return tuple(names)


def rotation_from_rpy(rpy: Vector3) -> Array:
    """The rotation matrix (3, 3) of roll, pitch, yaw in rad about the fixed x, y and z axes."""
    (sin_r, sin_p, sin_y), (cos_r, cos_p, cos_y) = np.sin(rpy), np.cos(rpy)
    matrix: Array = np.array(
        [
            [cos_y * cos_p, cos_y * sin_p * sin_r - sin_y * cos_r, cos_y * sin_p * cos_r + sin_y * sin_r],
            [sin_y * cos_p, sin_y * sin_p * sin_r + cos_y * cos_r, sin_y * sin_p * cos_r - cos_y * sin_r],
            [-sin_p, cos_p * sin_r, cos_p * cos_r],
        ]
    )
    return matrix
