"""A robot description read from URDF: links with their collision solids, and joints with their limits.

A `<cylinder>` is read as a capsule that contains it, with the round ends outside, because distances to capsules are
cheaper to compute.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from lucca_core.errors import ConfigError

Vector3 = tuple[float, float, float]
Rgba = tuple[float, float, float, float]
Array = NDArray[np.float64]
ShapeKind = Literal['box', 'sphere', 'capsule']

_GREY: Rgba = (0.7, 0.7, 0.7, 1.0)
_MOST_POSITION = 100.0
_LEAST_VELOCITY, _MOST_VELOCITY = 1e-4, 100.0
_MOST_EFFORT = 1e5
_SIZES = {'size', 'radius', 'length'}
_LENGTHS = {*_SIZES, 'xyz', 'rpy'}
_MOST_OFFSET = 1e3
"""Largest offset or size, in m or rad; products of larger numbers could overflow."""


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
    round ends, along z, (2) of a capsule.
    """

    kind: ShapeKind
    dimensions_m: tuple[float, ...]
    origin: Origin = Origin()
    rgba: Rgba = _GREY


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass in kg, centre of mass in m, and inertia (ixx, iyy, izz, ixy, ixz, iyz) in kg m² about it."""

    mass_kg: float
    origin: Origin
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid part; `shapes` are its collision solids, in its frame."""

    name: str
    shapes: tuple[LinkShape, ...] = ()
    inertial: Inertial | None = None


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint from `parent` to `child`; limits in rad (revolute) or m (prismatic)."""

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

    @property
    def moves(self) -> bool:
        """False for a fixed joint."""
        return self.kind != 'fixed'


@dataclass(frozen=True)
class RobotDescription:
    """Links and joints of a robot; every joint comes after the joint that carries its parent link."""

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
        """The joint that carries a link; None for the root."""
        return self._by_child.get(link)

    def chain(self, link: str) -> tuple[Joint, ...]:
        """The joints from the root to a link."""
        joints: list[Joint] = []
        joint = self.parent_joint(link)
        while joint is not None:
            joints.append(joint)
            joint = self.parent_joint(joint.parent)
        return tuple(reversed(joints))

    def subtree(self, link: str) -> tuple[str, ...]:
        """A link and all links that it carries."""
        names = [link]
        for joint in self.joints:
            if joint.parent in names:
                names.append(joint.child)
        return tuple(names)


def rotation_from_rpy(rpy: Vector3) -> Array:
    """The rotation matrix (3, 3) of roll, pitch, yaw in rad about the fixed x, y and z axes."""
    matrix: Array = Rotation.from_euler('xyz', rpy).as_matrix()
    return matrix


def load_urdf(file: Path) -> RobotDescription:
    """Reads a URDF file.

    Raises:
        ConfigError: the file cannot be read, is not XML, or does not describe a tree of links.
    """
    try:
        text = file.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'cannot be read: {error}', file=str(file)) from error
    return parse_urdf(text, str(file))


def parse_urdf(text: str, file: str) -> RobotDescription:
    """Parses URDF text; `file` is its name in errors. Raises the errors of `load_urdf`."""
    try:
        root = ET.fromstring(text)  # noqa: S314 - a robot's own description, installed with the software
    except ET.ParseError as error:
        raise ConfigError(f'is not XML: {error}', file=file, line=error.position[0]) from error
    if root.tag != 'robot':
        raise ConfigError(f'must hold a <robot>, holds a <{root.tag}>', file=file, line=1)
    reader = _UrdfReader(file, root)
    links = tuple(reader.link(element) for element in root.findall('link'))
    joints = tuple(reader.joint(element) for element in root.findall('joint'))
    return _as_tree(root.get('name', 'robot'), links, joints, file)


class _UrdfReader:
    def __init__(self, file: str, root: ET.Element) -> None:
        self._file = file
        self._colours: dict[str, Rgba] = {}
        for material in root.findall('material'):
            if (colour := material.find('color')) is not None:
                self._colours[material.get('name', '')] = self._rgba(colour)

    def link(self, element: ET.Element) -> Link:
        name = self._name(element, 'link')
        colours = [self._colour(visual) for visual in element.findall('visual')]
        shapes = []
        for index, collision in enumerate(element.findall('collision')):
            rgba = colours[index] if index < len(colours) else _GREY
            shapes.append(self._shape(collision, name, rgba))
        return Link(name, tuple(shapes), self._inertial(element, name))

    def joint(self, element: ET.Element) -> Joint:
        name = self._name(element, 'joint')
        kind = element.get('type', '')
        if kind not in ('fixed', 'revolute', 'prismatic'):
            raise self._wrong(f'joint {name!r} is {kind!r}; fixed, revolute and prismatic are known')
        parent, child = element.find('parent'), element.find('child')
        if parent is None or child is None:
            raise self._wrong(f'joint {name!r} needs a <parent> and a <child>')
        axis: Vector3 = (0.0, 0.0, 1.0)
        lower = upper = velocity = effort = 0.0
        if kind != 'fixed':
            axis = self._vector(element.find('axis'), 'xyz', f'joint {name!r}', (1.0, 0.0, 0.0))
            length = float(np.linalg.norm(axis))
            if length < 1e-9:
                raise self._wrong(f'joint {name!r} has the axis {axis}; it must have a length')
            axis = (axis[0] / length, axis[1] / length, axis[2] / length)
            limit = element.find('limit')
            if limit is None:
                raise self._wrong(f'joint {name!r} needs a <limit>')
            lower, upper, velocity, effort = (
                self._number(limit, key, f'joint {name!r}') for key in ('lower', 'upper', 'velocity', 'effort')
            )
            if not lower <= upper:
                raise self._wrong(f'joint {name!r} has limits {lower} to {upper}; lower must not exceed upper')
            for key, value, most in (
                ('lower', -lower, _MOST_POSITION),
                ('upper', upper, _MOST_POSITION),
                ('velocity', velocity, _MOST_VELOCITY),
                ('effort', effort, _MOST_EFFORT),
            ):
                if value > most:
                    raise self._wrong(
                        f'{key} of joint {name!r} must be at most {most:g} from 0, got {limit.get(key)!r}'
                    )
            if velocity < _LEAST_VELOCITY:
                raise self._wrong(
                    f'velocity of joint {name!r} must be at least {_LEAST_VELOCITY:g} (rad/s or m/s), got {velocity:g}'
                )
            if effort < 0:
                raise self._wrong(f'effort of joint {name!r} must not be negative, got {effort:g}')
        return Joint(
            name=name,
            kind=kind,  # type: ignore[arg-type]
            parent=parent.get('link', ''),
            child=child.get('link', ''),
            origin=self._origin(element, f'joint {name!r}'),
            axis=axis,
            lower=lower,
            upper=upper,
            velocity=velocity,
            effort=effort,
        )

    def _shape(self, element: ET.Element, link: str, rgba: Rgba) -> LinkShape:
        where = f'a collision of link {link!r}'
        geometry = element.find('geometry')
        solid = None if geometry is None or len(geometry) == 0 else geometry[0]
        origin = self._origin(element, where)
        if solid is not None and solid.tag == 'box':
            return LinkShape('box', self._vector(solid, 'size', where, None), origin, rgba)
        if solid is not None and solid.tag == 'sphere':
            return LinkShape('sphere', (self._number(solid, 'radius', where),), origin, rgba)
        if solid is not None and solid.tag == 'cylinder':
            size = (self._number(solid, 'radius', where), self._number(solid, 'length', where))
            return LinkShape('capsule', size, origin, rgba)
        found = 'nothing' if solid is None else f'<{solid.tag}>'
        raise self._wrong(f'{where} holds {found}; box, sphere and cylinder are known')

    def _inertial(self, element: ET.Element, link: str) -> Inertial | None:
        inertial = element.find('inertial')
        if inertial is None:
            return None
        where = f'the inertial of link {link!r}'
        mass, inertia = inertial.find('mass'), inertial.find('inertia')
        if mass is None or inertia is None:
            raise self._wrong(f'{where} needs <mass> and <inertia>')
        ixx, iyy, izz, ixy, ixz, iyz = (
            self._number(inertia, key, where) for key in ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
        )
        return Inertial(
            self._number(mass, 'value', where), self._origin(inertial, where), (ixx, iyy, izz, ixy, ixz, iyz)
        )

    def _colour(self, visual: ET.Element) -> Rgba:
        material = visual.find('material')
        if material is None:
            return _GREY
        if (colour := material.find('color')) is not None:
            return self._rgba(colour)
        return self._colours.get(material.get('name', ''), _GREY)

    def _rgba(self, element: ET.Element) -> Rgba:
        values = self._numbers(element, 'rgba', 'a colour', 4)
        return (values[0], values[1], values[2], values[3])

    def _origin(self, element: ET.Element, where: str) -> Origin:
        origin = element.find('origin')
        zero: Vector3 = (0.0, 0.0, 0.0)
        return Origin(self._vector(origin, 'xyz', where, zero), self._vector(origin, 'rpy', where, zero))

    def _vector(self, element: ET.Element | None, key: str, where: str, default: Vector3 | None) -> Vector3:
        if element is None or key not in element.keys():  # noqa: SIM118 - an Element is no mapping
            if default is None:
                raise self._wrong(f'{where} has no {key}')
            return default
        values = self._numbers(element, key, where, 3)
        return (values[0], values[1], values[2])

    def _number(self, element: ET.Element, key: str, where: str) -> float:
        return self._numbers(element, key, where, 1)[0]

    def _numbers(self, element: ET.Element, key: str, where: str, count: int) -> list[float]:
        text = element.get(key)
        if text is None:
            raise self._wrong(f'{where} has no {key}')
        try:
            values = [float(part) for part in text.split()]
        except ValueError as error:
            raise self._wrong(f'{key} of {where} must be numbers, got {text!r}') from error
        if len(values) != count or not np.all(np.isfinite(values)):
            raise self._wrong(f'{key} of {where} must be {count} finite numbers, got {text!r}')
        if key in _LENGTHS and max(map(abs, values)) > _MOST_OFFSET:
            raise self._wrong(f'{key} of {where} must be at most {_MOST_OFFSET:g} from 0, got {text!r}')
        if key in _SIZES and min(values) <= 0:
            raise self._wrong(f'{key} of {where} must be positive, got {text!r}')
        return values

    def _name(self, element: ET.Element, kind: str) -> str:
        name = element.get('name')
        if not name:
            raise self._wrong(f'a <{kind}> has no name')
        return name

    def _wrong(self, reason: str) -> ConfigError:
        return ConfigError(reason, file=self._file)


def _as_tree(name: str, links: tuple[Link, ...], joints: tuple[Joint, ...], file: str) -> RobotDescription:
    names = [link.name for link in links]
    if len(set(names)) != len(names):
        raise ConfigError(f'has two links of one name: {sorted({n for n in names if names.count(n) > 1})}', file=file)
    if len({joint.name for joint in joints}) != len(joints):
        raise ConfigError('has two joints of one name', file=file)
    for joint in joints:
        for link in (joint.parent, joint.child):
            if link not in names:
                raise ConfigError(f'joint {joint.name!r} names the link {link!r}, which is not there', file=file)
    children = [joint.child for joint in joints]
    if len(set(children)) != len(children):
        raise ConfigError('has a link that two joints carry', file=file)
    roots = [link for link in names if link not in children]
    if len(roots) != 1:
        raise ConfigError(f'must have one root link, has {roots}', file=file)
    ordered: list[Joint] = []
    reached = {roots[0]}
    waiting = list(joints)
    while waiting:
        ready = [joint for joint in waiting if joint.parent in reached]
        if not ready:
            raise ConfigError(f'has links in a circle: {[joint.child for joint in waiting]}', file=file)
        ordered += ready
        reached |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in reached]
    return RobotDescription(name, roots[0], links, tuple(ordered))
