"""Objects and containers built from primitive shapes, which the MuJoCo and SDF modules convert.

The origin is the centre of an object's extent, or the centre of a container's footprint. Hollow shapes are rings of
thin boxes instead of meshes, because both simulators collide boxes quickly and exactly, and no mesh files are needed.
"""

import itertools
import math
from dataclasses import dataclass

from lucca_sim.scene_elements import SceneContainer, SceneObject

OBJECT_SHAPES = ('sphere', 'ellipsoid', 'box', 'cylinder', 'capsule', 'arc', 'pear', 'cup', 'bowl', 'open_box')
CONTAINER_SHAPES = ('open_box', 'bowl', 'cup', 'pad')

_RING = 16
THIN_WALL_M = 0.004


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """A primitive shape. `size_m` is its full extent before rotation; capsules and cylinders lie along z."""

    kind: str
    size_m: tuple[float, float, float]
    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quat_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    @property
    def volume_m3(self) -> float:
        """Volume of the primitive, used to distribute mass."""
        x, y, z = self.size_m
        if self.kind == 'box':
            return x * y * z
        if self.kind == 'cylinder':
            return math.pi / 4 * x * y * z
        if self.kind == 'capsule':
            return math.pi / 4 * x * x * (z - x) + math.pi / 6 * x**3
        return math.pi / 6 * x * y * z


def object_parts(item: SceneObject) -> tuple[Primitive, ...]:
    """The primitives of an object about the centre of its extent."""
    x, y, z = item.size_m
    match item.shape:
        case 'sphere' | 'ellipsoid' | 'box' | 'cylinder':
            return (Primitive(kind=item.shape, size_m=item.size_m),)
        case 'capsule':
            return (_lying_capsule((0.0, 0.0, 0.0), 0.0, x, z),)
        case 'arc':
            return _arc(x, y, z)
        case 'pear':
            # A round body at one end, and a thinner neck that reaches to the other end.
            neck = 0.80 * z
            return (
                Primitive(kind='sphere', size_m=(z, z, z), position_m=(-(x - z) / 2, 0.0, 0.0)),
                Primitive(
                    kind='ellipsoid',
                    size_m=(0.75 * x, neck, neck),
                    position_m=(x / 2 - 0.375 * x, 0.0, -(z - neck) / 2),
                ),
            )
        case 'open_box':
            return tuple(_shifted(part, -z / 2) for part in _open_box(x, y, z, THIN_WALL_M))
        case 'cup':
            return tuple(_shifted(part, -z / 2) for part in _ring(x, 0.42 * x, z, THIN_WALL_M))
        case 'bowl':
            return tuple(_shifted(part, -z / 2) for part in _ring(x, 0.28 * x, z, THIN_WALL_M))
    raise ValueError(f'no shape {item.shape!r}; there are {", ".join(OBJECT_SHAPES)}')


def container_parts(item: SceneContainer) -> tuple[Primitive, ...]:
    """The primitives of a container about the centre of its footprint, z up from the table."""
    x, y, z = item.size_m
    match item.shape:
        case 'open_box':
            return _open_box(x, y, z, item.wall_m)
        case 'bowl':
            return _ring(x, 0.34 * x, z, item.wall_m)
        case 'cup':
            return _ring(x, 0.42 * x, z, item.wall_m)
        case 'pad':
            return (Primitive(kind='box', size_m=item.size_m, position_m=(0.0, 0.0, z / 2)),)
    raise ValueError(f'no shape {item.shape!r}; there are {", ".join(CONTAINER_SHAPES)}')


def _shifted(part: Primitive, dz: float) -> Primitive:
    px, py, pz = part.position_m
    return Primitive(kind=part.kind, size_m=part.size_m, position_m=(px, py, pz + dz), quat_wxyz=part.quat_wxyz)


def _open_box(x: float, y: float, z: float, wall: float) -> tuple[Primitive, ...]:
    return (
        Primitive(kind='box', size_m=(x, y, wall), position_m=(0.0, 0.0, wall / 2)),
        Primitive(kind='box', size_m=(wall, y, z), position_m=(x / 2 - wall / 2, 0.0, z / 2)),
        Primitive(kind='box', size_m=(wall, y, z), position_m=(-x / 2 + wall / 2, 0.0, z / 2)),
        Primitive(kind='box', size_m=(x - 2 * wall, wall, z), position_m=(0.0, y / 2 - wall / 2, z / 2)),
        Primitive(kind='box', size_m=(x - 2 * wall, wall, z), position_m=(0.0, -y / 2 + wall / 2, z / 2)),
    )


def _ring(diameter: float, base_radius: float, height: float, wall: float) -> tuple[Primitive, ...]:
    """A disc with a ring of panels that lean outwards, from `base_radius` at the bottom to the rim; outer radii."""
    lean = math.atan2(diameter / 2 - base_radius, height)
    slant = height / math.cos(lean)
    middle = (diameter / 2 + base_radius) / 2 - wall / 2 * math.cos(lean)
    # The panels are wide enough to close the ring at the rim; further down, neighbours overlap.
    width = diameter * math.tan(math.pi / _RING)
    parts = [
        Primitive(kind='cylinder', size_m=(2 * base_radius, 2 * base_radius, wall), position_m=(0.0, 0.0, wall / 2))
    ]
    for index in range(_RING):
        angle = 2 * math.pi * index / _RING
        # Turned about y by the lean, then about z by the angle.
        half_a, half_l = angle / 2, lean / 2
        quat = (
            math.cos(half_a) * math.cos(half_l),
            -math.sin(half_a) * math.sin(half_l),
            math.cos(half_a) * math.sin(half_l),
            math.sin(half_a) * math.cos(half_l),
        )
        parts.append(
            Primitive(
                kind='box',
                size_m=(wall, width, slant),
                position_m=(middle * math.cos(angle), middle * math.sin(angle), height / 2),
                quat_wxyz=quat,
            )
        )
    return tuple(parts)


def _arc(x: float, y: float, z: float) -> tuple[Primitive, ...]:
    """Four capsules of diameter z along a circular arc that spans x and is y wide in total."""
    chord, rise = x - z, y - z
    radius = (chord * chord / 4 + rise * rise) / (2 * rise)
    half = math.asin(chord / 2 / radius)
    points = []
    for index in range(5):
        angle = -half + half * index / 2
        points.append((radius * math.sin(angle), radius * math.cos(angle) - radius + rise / 2))
    parts = []
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        middle = ((ax + bx) / 2, (ay + by) / 2, 0.0)
        parts.append(_lying_capsule(middle, math.atan2(by - ay, bx - ax), math.hypot(bx - ax, by - ay) + z, z))
    return tuple(parts)


def _lying_capsule(middle: tuple[float, float, float], yaw: float, length: float, diameter: float) -> Primitive:
    """A capsule along x, turned by yaw: rotated about y by 90 degrees, then about z."""
    root, half = math.sqrt(0.5), yaw / 2
    quat = (root * math.cos(half), -root * math.sin(half), root * math.cos(half), root * math.sin(half))
    return Primitive(kind='capsule', size_m=(diameter, diameter, length), position_m=middle, quat_wxyz=quat)
