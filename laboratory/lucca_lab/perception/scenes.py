"""Random tables of the perception test set with their light and camera, reproducible by seed and number."""

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from lucca_core.protocol.snapshots import Pose
from lucca_sim.random_placement import standing
from lucca_sim.scene import Scene, load_scene
from lucca_sim.scene_elements import SceneContainer, SceneObject

UNKNOWN = 'unknown'
"""The label of objects that no detector is asked for."""

SCENES = ('sorting', 'arrangement', 'tower', 'table')
OBJECTS, UNKNOWNS = (6, 14), (0, 3)
SEQUENCE_OBJECTS = (6, 10)
MOST_ALIKE = 2
LIGHT, KELVIN = (0.5, 1.5), (3000.0, 7500.0)
CAMERA_M, CAMERA_DEG = 0.03, 3.0
GAP_M = 0.02
"""The least gap between two outlines: the thickness of a finger, as in the simulator's own scenes."""

# An area that stays in view wherever the camera is moved.
_X_M, _Y_M = (0.14, 0.78), (-0.44, 0.44)
_BEFORE_ANOTHER = 0.7
_BEFORE_GAP_M = (0.005, 0.02)
_FILLED = 0.35
_DARTS, _RESTARTS = 200, 50
# Shape and size of objects that match no prototype, whatever their colour.
_Form = tuple[str, tuple[float, float, float]]
_TALL: tuple[_Form, ...] = (
    ('cylinder', (0.070, 0.070, 0.190)),
    ('box', (0.070, 0.062, 0.170)),
    ('box', (0.120, 0.080, 0.130)),
)
_STRANGE: tuple[_Form, ...] = (
    ('box', (0.170, 0.115, 0.030)),
    ('box', (0.110, 0.060, 0.065)),
    ('sphere', (0.105, 0.105, 0.105)),
    ('capsule', (0.190, 0.022, 0.022)),
    *_TALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Light and camera of one scene.

    `light` is a factor on the usual light, and `kelvin` its colour temperature. `shift_m` is the camera's shift along
    the world's axes (m), `turn_rad` its rotation vector in the camera frame (rad).
    """

    light: float = 1.0
    kelvin: float = 6500.0
    shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn_rad: tuple[float, float, float] = (0.0, 0.0, 0.0)


def draw_conditions(rng: np.random.Generator) -> Conditions:
    """Draws all conditions uniformly from their ranges."""
    turn = math.radians(CAMERA_DEG)
    return Conditions(
        light=float(rng.uniform(*LIGHT)),
        kelvin=float(rng.uniform(*KELVIN)),
        shift_m=_three(rng.uniform(-CAMERA_M, CAMERA_M, 3)),
        turn_rad=_three(rng.uniform(-turn, turn, 3)),
    )


def draw_still(rng: np.random.Generator) -> Scene:
    """A cluttered table: known objects, some in containers, and unknown ones, most of them in front of a known one."""
    base = load_scene(SCENES[int(rng.integers(len(SCENES)))])
    for _ in range(_RESTARTS):
        known = _known(base, rng, int(rng.integers(OBJECTS[0], OBJECTS[1] + 1)))
        placed: list[SceneObject] = []
        inside = _fill(base, known, rng)
        complete = True
        for item in known[len(inside) :]:
            spot = _free_spot(item, placed, base.containers, rng)
            if spot is None:
                complete = False
                break
            placed.append(standing(item, *spot, float(rng.uniform(-math.pi, math.pi)), base.table))
        if not complete:
            continue
        for number in range(int(rng.integers(UNKNOWNS[0], UNKNOWNS[1] + 1))):
            before = rng.random() < _BEFORE_ANOTHER
            item = _stranger(number, _TALL if before else _STRANGE, rng)
            spot = _spot_before(item, placed, base.containers, rng) if before else None
            spot = spot or _free_spot(item, placed, base.containers, rng)
            if spot is not None:
                placed.append(standing(item, *spot, float(rng.uniform(-math.pi, math.pi)), base.table))
        return dataclasses.replace(base, objects=(*inside, *placed))
    raise ValueError('no arrangement was found')  # pragma: no cover - the area has room for all


def draw_moving(rng: np.random.Generator) -> Scene:
    """A table on which a hand can reach the objects, and at least two of them are alike."""
    base = load_scene(SCENES[int(rng.integers(len(SCENES)))], int(rng.integers(1 << 30)))
    known = _known(base, rng, int(rng.integers(SEQUENCE_OBJECTS[0], SEQUENCE_OBJECTS[1] + 1)))
    kinds = [item.name.removesuffix(' 2') for item in known]
    if len(set(kinds)) == len(kinds):
        kinds[-1] = kinds[0]
    return base.with_objects(sorted(kinds))


def _known(base: Scene, rng: np.random.Generator, count: int) -> list[SceneObject]:
    """Random objects of the library: none more than twice, and none with the name of a container."""
    offered = [item for item in base.library if base.container_named(item.name) is None]
    chosen = rng.permutation(np.repeat(np.arange(len(offered)), MOST_ALIKE))[:count]
    result: list[SceneObject] = []
    for index in chosen:
        item = offered[int(index)]
        again = any(other.name == item.name for other in result)
        result.append(dataclasses.replace(item, name=f'{item.name} 2') if again else item)
    return result


def _fill(base: Scene, known: list[SceneObject], rng: np.random.Generator) -> tuple[SceneObject, ...]:
    """Puts some of the first objects into or onto containers. Objects that do not fit stay outside."""
    result: list[SceneObject] = []
    for container in base.containers:
        if rng.random() > _FILLED or len(result) + 2 >= len(known):
            continue
        item = known[len(result)]
        x, y, _ = container.position_world_m
        floor = container.size_m[2] if container.shape == 'pad' else container.wall_m
        if container.shape == 'pad' and item.shape != 'box':
            continue
        room = 0.0 if container.shape == 'pad' else min(container.size_m[:2]) / 2 * 0.7 - item.footprint_radius_m
        if room < 0:
            continue
        x, y = x + float(rng.uniform(-room, room)), y + float(rng.uniform(-room, room))
        put = standing(item, x, y, float(rng.uniform(-math.pi, math.pi)), base.table)
        px, py, pz = put.pose.position_m
        result.append(dataclasses.replace(put, pose=Pose((px, py, pz + floor), put.pose.orientation_xyzw)))
    return tuple(result)


def _stranger(number: int, forms: tuple[_Form, ...], rng: np.random.Generator) -> SceneObject:
    shape, size = forms[int(rng.integers(len(forms)))]
    red, green, blue = (float(part) for part in rng.uniform(0.05, 0.95, 3))
    return SceneObject(
        name=f'{UNKNOWN} {number + 1}',
        label=UNKNOWN,
        colour='',
        shape=shape,
        size_m=size,
        rgb=(red, green, blue),
        mass_kg=0.2,
    )


def _free_spot(
    item: SceneObject, placed: list[SceneObject], containers: tuple[SceneContainer, ...], rng: np.random.Generator
) -> tuple[float, float] | None:
    for _ in range(_DARTS):
        spot = float(rng.uniform(*_X_M)), float(rng.uniform(*_Y_M))
        if _is_free(*spot, item, placed, containers):
            return spot
    return None


def _spot_before(
    item: SceneObject, placed: list[SceneObject], containers: tuple[SceneContainer, ...], rng: np.random.Generator
) -> tuple[float, float] | None:
    """A place next to a known object, on the side of the camera, which is high above the far edge of the table."""
    for _ in range(_DARTS):
        other = placed[int(rng.integers(len(placed)))]
        x, y, _ = other.pose.position_m
        towards = math.atan2(0.035 - y, 0.86 - x) + float(rng.uniform(-0.5, 0.5))
        reach = other.footprint_radius_m + item.footprint_radius_m + float(rng.uniform(*_BEFORE_GAP_M))
        spot = x + reach * math.cos(towards), y + reach * math.sin(towards)
        if (
            _X_M[0] < spot[0] < _X_M[1]
            and _Y_M[0] < spot[1] < _Y_M[1]
            and _is_free(*spot, item, placed, containers, _BEFORE_GAP_M[0])
        ):
            return spot
    return None


def _is_free(
    x: float,
    y: float,
    item: SceneObject,
    placed: list[SceneObject],
    containers: tuple[SceneContainer, ...],
    gap_m: float = GAP_M,
) -> bool:
    radius = item.footprint_radius_m
    return all(
        math.dist((x, y), other.pose.position_m[:2]) >= radius + other.footprint_radius_m + gap_m for other in placed
    ) and all(container.outline.distance_m(x, y) >= radius + GAP_M for container in containers)


def _three(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
