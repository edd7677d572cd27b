"""The meshes of robot descriptions as pictures show them: triangles, grouped by colour."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ConfigError
from lucca_robot.description import Rgba, Vector3
from lucca_robot.mesh_file import read_mesh, unit_m

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]

MOST_TRIANGLES = 200_000
"""Largest mesh that is shown. Software rendering of a larger one would delay every picture."""
MOST_COLOURS = 8
"""Further colours of a mesh are shown in the one that most of its triangles have."""
_LEAST_POINTS = 4
_LARGEST_M = 100.0
_SMALLEST_M2 = 1e-14
"""Triangles with less area are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshPart:
    """The triangles of one colour: points (n, 3) in m, and three indices of points for each triangle (m, 3).

    `rgba` is None where the file has no colour.
    """

    points: Array
    triangles: Triangles
    rgba: Rgba | None


@lru_cache(maxsize=256)
def parts_of(file: Path, scale: Vector3 = (1.0, 1.0, 1.0)) -> tuple[MeshPart, ...]:
    """The parts of a mesh, those with most triangles first.

    Raises:
        ConfigError: the file cannot be read, is too large, or holds nothing that can be shown; or the package that
            reads it is not installed.
    """
    by_colour: dict[Rgba | None, list[tuple[Array, Triangles]]] = {}
    for points, triangles, rgba in read_mesh(file, _geometries):
        by_colour.setdefault(rgba, []).append((points * np.array(scale), triangles))
    _check(file, [each for group in by_colour.values() for each in group])
    groups = sorted(by_colour.items(), key=lambda item: -sum(len(triangles) for _, triangles in item[1]))
    for _, further in groups[MOST_COLOURS:]:
        groups[0][1].extend(further)
    parts = [_part(group, rgba, mirrored=bool(np.prod(scale) < 0)) for rgba, group in groups[:MOST_COLOURS]]
    shown = tuple(part for part in parts if len(part.points) >= _LEAST_POINTS)
    if not shown:
        raise ConfigError('holds no triangles that can be shown', file=str(file))
    return shown


def _geometries(trimesh: Any, file: Path) -> list[tuple[Array, Triangles, Rgba | None]]:
    scene, unit = trimesh.load_scene(file), unit_m(file)
    found = []
    for mesh in scene.dump():
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
            points = np.asarray(mesh.vertices, dtype=np.float64) * unit
            found.append((points, np.asarray(mesh.faces, dtype=np.int64), _colour(mesh.visual)))
    return found


def _colour(visual: Any) -> Rgba | None:
    """The main colour of a mesh, opaque: exporters do not agree on what their transparency means."""
    if visual.kind is None:
        return None
    main = visual.material.main_color if visual.kind == 'texture' else visual.main_color
    red, green, blue = (float(value) / 255.0 for value in np.asarray(main)[:3])
    return (red, green, blue, 1.0)


def _check(file: Path, geometries: list[tuple[Array, Triangles]]) -> None:
    count = sum(len(triangles) for _, triangles in geometries)
    if count > MOST_TRIANGLES:
        raise ConfigError(f'has {count:,} triangles, at most {MOST_TRIANGLES:,} are shown', file=str(file))
    for points, triangles in geometries:
        used = points[triangles]
        if not np.isfinite(used).all():
            raise ConfigError('has a point with a coordinate that is not finite', file=str(file))
        if np.abs(used).max() > _LARGEST_M:
            raise ConfigError(
                f'reaches {np.abs(used).max():g} m from its origin, at most {_LARGEST_M:g} are shown', file=str(file)
            )


def _part(geometries: list[tuple[Array, Triangles]], rgba: Rgba | None, *, mirrored: bool) -> MeshPart:
    """Joins meshes to one, without triangles that have no area and without points that none uses."""
    firsts = np.cumsum([0] + [len(points) for points, _ in geometries])
    points = np.vstack([points for points, _ in geometries])
    triangles = np.vstack([corners + first for (_, corners), first in zip(geometries, firsts, strict=False)])
    a, b, c = points[triangles[:, 0]], points[triangles[:, 1]], points[triangles[:, 2]]
    area_m2 = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    triangles = triangles[area_m2 > _SMALLEST_M2]
    used, corners = np.unique(triangles, return_inverse=True)
    corners = corners.reshape(-1, 3)
    # A mirrored mesh would show its inside.
    return MeshPart(points[used], corners[:, ::-1] if mirrored else corners, rgba)
