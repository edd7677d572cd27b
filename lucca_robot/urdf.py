"""Reading of URDF, with its meshes as convex hulls for collisions, and as they are for pictures.

A `<cylinder>` is read as a capsule that contains it, with round ends added outside, because distances to capsules are
cheaper to compute. A `continuous` joint is read as a revolute one with one turn in each direction, because cables and
hoses allow no more.
"""

import functools
import logging
import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lucca_core.errors import ConfigError
from lucca_core.regular_file import read_regular_text
from lucca_robot.description import (
    GREY,
    Inertial,
    Joint,
    Link,
    LinkShape,
    MeshLook,
    Mimic,
    Origin,
    Rgba,
    RobotDescription,
    Vector3,
)
from lucca_robot.mesh_file import resolve
from lucca_robot.mesh_hull import hulls_of
from lucca_robot.xacro_file import NO_ARGUMENTS, expanded

_LOG = logging.getLogger(__name__)

_MOST_POSITION = 100.0
_LEAST_VELOCITY, _MOST_VELOCITY = 1e-4, 1e4
_MOST_EFFORT = 1e5
ONE_TURN = 2 * math.pi
"""Limit of a continuous joint in both directions, in rad."""
UNLIMITED = 100.0
"""In rad/s or m/s. Values that vendors use instead of a limit, such as 10000, are replaced by this."""
_UNNAMED_VELOCITY = 1.0
"""Velocity limit of a continuous joint that has none, in rad/s."""
_SIZES = {'size', 'radius', 'length'}
_LENGTHS = {*_SIZES, 'xyz', 'rpy'}
_MOST_OFFSET = 1e3
"""Largest offset or size, in m or rad; products of larger numbers could overflow."""


def load_urdf(file: Path, arguments: Mapping[str, str] = NO_ARGUMENTS) -> RobotDescription:
    """Reads a URDF file, or a xacro file (`.xacro`) with values of its arguments.

    Raises:
        ConfigError: the file or a mesh that it names cannot be read, is not XML, or does not describe a tree of links;
            or there are arguments that it does not have.
    """
    return parse_urdf(read_urdf(file, arguments), str(file))


def read_urdf(file: Path, arguments: Mapping[str, str] = NO_ARGUMENTS) -> str:
    """The text of a URDF file, or that of a xacro file, expanded. Raises the errors of `load_urdf`."""
    if file.suffix == '.xacro':
        return expanded(file, arguments)
    if arguments:
        raise ConfigError('is no xacro file (.xacro), so it has no arguments', file=str(file))
    try:
        return read_regular_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'cannot be read: {error}', file=str(file)) from error


def parse_urdf(text: str, file: str) -> RobotDescription:
    """Parses URDF text; `file` is its name in errors. Raises the errors of `load_urdf`."""
    # Meshes are read from files, which may change.
    return _parsed(text, file) if 'mesh' in text else _parsed_once(text, file)


@functools.lru_cache(maxsize=8)
def _parsed_once(text: str, file: str) -> RobotDescription:
    """A process loads the description of its robot several times, which takes 30 ms each time."""
    return _parsed(text, file)


def _parsed(text: str, file: str) -> RobotDescription:
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
            rgba = colours[index] if index < len(colours) else GREY
            shapes += self._shapes(collision, name, rgba)
        return Link(name, tuple(shapes), self._inertial(element, name), self._looks(element, name))

    def joint(self, element: ET.Element) -> Joint:
        name = self._name(element, 'joint')
        kind = element.get('type', '')
        if kind not in ('fixed', 'revolute', 'prismatic', 'continuous'):
            raise self._wrong(f'type of joint {name!r} must be fixed, revolute, continuous or prismatic, got {kind!r}')
        parent, child = element.find('parent'), element.find('child')
        if parent is None or child is None:
            raise self._wrong(f'joint {name!r} needs a <parent> and a <child>')
        axis: Vector3 = (0.0, 0.0, 1.0)
        lower = upper = velocity = effort = 0.0
        if kind != 'fixed':
            axis = self._vector(element.find('axis'), 'xyz', f'joint {name!r}', (1.0, 0.0, 0.0))
            length = float(np.linalg.norm(axis))
            if length < 1e-9:
                raise self._wrong(f'axis of joint {name!r} must not have length 0, got {axis}')
            axis = (axis[0] / length, axis[1] / length, axis[2] / length)
            lower, upper, velocity, effort = self._limits(element, name, endless=kind == 'continuous')
        return Joint(
            name=name,
            kind='revolute' if kind == 'continuous' else kind,  # type: ignore[arg-type]
            parent=parent.get('link', ''),
            child=child.get('link', ''),
            origin=self._origin(element, f'joint {name!r}'),
            axis=axis,
            lower=lower,
            upper=upper,
            velocity=velocity,
            effort=effort,
            mimic=self._mimic(element, name),
            endless=kind == 'continuous',
        )

    def _limits(self, element: ET.Element, name: str, *, endless: bool) -> tuple[float, float, float, float]:
        """Lower, upper, velocity and effort."""
        limit = element.find('limit')
        if limit is None:
            if endless:
                return -ONE_TURN, ONE_TURN, _UNNAMED_VELOCITY, 0.0
            raise self._wrong(f'joint {name!r} needs a <limit>')
        keys = ('velocity', 'effort') if endless else ('lower', 'upper', 'velocity', 'effort')
        given = {key: self._number(limit, key, f'joint {name!r}') for key in keys}
        lower, upper = given.get('lower', -ONE_TURN), given.get('upper', ONE_TURN)
        if not lower <= upper:
            raise self._wrong(f'joint {name!r} has limits {lower} to {upper}; lower must not exceed upper')
        for key, value, most in (
            ('lower', -lower, _MOST_POSITION),
            ('upper', upper, _MOST_POSITION),
            ('velocity', given['velocity'], _MOST_VELOCITY),
            ('effort', given['effort'], _MOST_EFFORT),
        ):
            if value > most:
                bound = f'at least -{most:g}' if key == 'lower' else f'at most {most:g}'
                raise self._wrong(f'{key} of joint {name!r} must be {bound}, got {limit.get(key)!r}')
        if given['velocity'] < _LEAST_VELOCITY:
            raise self._wrong(
                f'velocity of joint {name!r} must be at least {_LEAST_VELOCITY:g} (rad/s or m/s), '
                f'got {given["velocity"]:g}'
            )
        if given['effort'] < 0:
            raise self._wrong(f'effort of joint {name!r} must not be negative, got {given["effort"]:g}')
        return lower, upper, min(given['velocity'], UNLIMITED), given['effort']

    def _mimic(self, element: ET.Element, name: str) -> Mimic | None:
        mimic = element.find('mimic')
        if mimic is None:
            return None
        where = f'the <mimic> of joint {name!r}'
        leader = mimic.get('joint')
        if not leader or leader == name:
            raise self._wrong(f'{where} must name another joint, got {leader!r}')
        multiplier = self._number(mimic, 'multiplier', where) if 'multiplier' in mimic.attrib else 1.0
        return Mimic(leader, multiplier, self._number(mimic, 'offset', where) if 'offset' in mimic.attrib else 0.0)

    def _shapes(self, element: ET.Element, link: str, rgba: Rgba) -> list[LinkShape]:
        where = f'a collision of link {link!r}'
        origin, solid = self._origin(element, where), _solid(element)
        if solid is not None and solid.tag == 'mesh':
            return self._hulls(solid, where, origin, rgba)
        return [self._shape(solid, where, origin, rgba)]

    def _shape(self, solid: ET.Element | None, where: str, origin: Origin, rgba: Rgba) -> LinkShape:
        if solid is not None and solid.tag == 'box':
            return LinkShape('box', self._vector(solid, 'size', where, None), origin, rgba)
        if solid is not None and solid.tag == 'sphere':
            return LinkShape('sphere', (self._number(solid, 'radius', where),), origin, rgba)
        if solid is not None and solid.tag == 'cylinder':
            size = (self._number(solid, 'radius', where), self._number(solid, 'length', where))
            return LinkShape('capsule', size, origin, rgba)
        found = 'nothing' if solid is None else f'<{solid.tag}>'
        raise self._wrong(f'{where} must hold a box, sphere, cylinder or mesh, holds {found}')

    def _hulls(self, solid: ET.Element, where: str, origin: Origin, rgba: Rgba) -> list[LinkShape]:
        scale, name = self._scaled_file(solid, where)
        try:
            hulls = hulls_of(resolve(name, Path(self._file)), scale)
        except ConfigError as error:
            raise self._wrong(f'{where}: {error}') from error
        extents = [np.ptp(np.array(corners), axis=0).tolist() for corners in hulls]
        return [
            LinkShape('hull', tuple(size), origin, rgba, corners) for size, corners in zip(extents, hulls, strict=True)
        ]

    def _scaled_file(self, solid: ET.Element, where: str) -> tuple[Vector3, str]:
        scale = self._vector(solid, 'scale', where, (1.0, 1.0, 1.0))
        name = solid.get('filename')
        if not name:
            raise self._wrong(f'{where} has a mesh without a filename')
        return scale, name

    def _looks(self, element: ET.Element, link: str) -> tuple[LinkShape | MeshLook, ...]:
        """The visuals of a link, if one of them is a mesh. Faults are only logged: a robot moves without its looks."""
        visuals = element.findall('visual')
        if not any((solid := _solid(visual)) is not None and solid.tag == 'mesh' for visual in visuals):
            return ()
        try:
            return tuple(self._look(visual, f'a visual of link {link!r}') for visual in visuals)
        except ConfigError as error:
            _LOG.warning('pictures show the collision solids of %s: %s', link, error)
            return ()

    def _look(self, visual: ET.Element, where: str) -> LinkShape | MeshLook:
        origin, solid, rgba = self._origin(visual, where), _solid(visual), self._own_colour(visual)
        if solid is None or solid.tag != 'mesh':
            return self._shape(solid, where, origin, rgba or GREY)
        scale, name = self._scaled_file(solid, where)
        return MeshLook(name, self._file, scale, origin, rgba)

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
        return self._own_colour(visual) or GREY

    def _own_colour(self, visual: ET.Element) -> Rgba | None:
        material = visual.find('material')
        if material is None:
            return None
        if (colour := material.find('color')) is not None:
            return self._rgba(colour)
        return self._colours.get(material.get('name', ''))

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


def _solid(element: ET.Element) -> ET.Element | None:
    """The solid of a `<collision>` or `<visual>`."""
    geometry = element.find('geometry')
    return None if geometry is None or len(geometry) == 0 else geometry[0]


def _as_tree(name: str, links: tuple[Link, ...], joints: tuple[Joint, ...], file: str) -> RobotDescription:
    names = [link.name for link in links]
    if len(set(names)) != len(names):
        raise ConfigError(
            f'has two links with the same name: {sorted({n for n in names if names.count(n) > 1})}', file=file
        )
    if len({joint.name for joint in joints}) != len(joints):
        raise ConfigError('has two joints with the same name', file=file)
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in {other.name for other in joints if other.moves}:
            raise ConfigError(f'joint {joint.name!r} mimics {joint.mimic.joint!r}, which does not move', file=file)
        for link in (joint.parent, joint.child):
            if link not in names:
                raise ConfigError(f'joint {joint.name!r} names the link {link!r}, which does not exist', file=file)
    children = [joint.child for joint in joints]
    if len(set(children)) != len(children):
        raise ConfigError('has a link that is the child of two joints', file=file)
    roots = [link for link in names if link not in children]
    if len(roots) != 1:
        raise ConfigError(f'must have one root link, got {roots}', file=file)
    ordered: list[Joint] = []
    reached = {roots[0]}
    waiting = list(joints)
    while waiting:
        ready = [joint for joint in waiting if joint.parent in reached]
        if not ready:
            raise ConfigError(f'has a loop of links: {[joint.child for joint in waiting]}', file=file)
        ordered += ready
        reached |= {joint.child for joint in ready}
        waiting = [joint for joint in waiting if joint.child not in reached]
    return RobotDescription(name, roots[0], links, tuple(ordered))
