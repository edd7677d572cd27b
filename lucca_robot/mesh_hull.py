"""Convex hulls around the meshes of robot descriptions."""

import itertools
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ConfigError
from lucca_robot.description import Vector3
from lucca_robot.mesh_file import read_mesh, unit_m

Array = NDArray[np.float64]

_MOST_CORNERS = 48
_LEAST_POINTS = 4
_THINNEST_M = 1e-3
_LONG_M = 0.7
_SLAB_M = 0.12


@lru_cache(maxsize=1024)
def hull_of(file: Path, scale: Vector3 = (1.0, 1.0, 1.0)) -> tuple[Vector3, ...]:
    """Corners, at most 48, of a convex solid that contains a mesh; in m.

    It is the true hull if that has so few corners, otherwise a slightly larger solid.

    Raises:
        ConfigError: the file is not a mesh, or the package that reads it is not installed.
    """
    return _corners_around(_mesh(file)[0] * np.array(scale))


@lru_cache(maxsize=1024)
def hulls_of(file: Path, scale: Vector3 = (1.0, 1.0, 1.0)) -> tuple[tuple[Vector3, ...], ...]:
    """Corners of convex solids that together contain a mesh, each like in `hull_of`.

    A mesh longer than `_LONG_M`, such as a torso, is cut across into slabs: a single hull would also fill the room
    beside its narrow parts, where the arms are.

    Raises:
        ConfigError: see `hull_of`.
    """
    points, edges = _mesh(file)
    points = points * np.array(scale)
    axis = int(np.ptp(points, axis=0).argmax())
    low, high = float(points[:, axis].min()), float(points[:, axis].max())
    if not high - low > _LONG_M:
        return (hull_of(file, scale),)
    cuts = np.linspace(low, high, int(np.ceil((high - low) / _SLAB_M)) + 1)
    slabs = [_between(points, edges, axis, a, b) for a, b in itertools.pairwise(cuts.tolist())]
    return tuple(_corners_around(slab) for slab in slabs if len(slab) >= _LEAST_POINTS)


def _between(points: Array, edges: NDArray[np.int64], axis: int, low: float, high: float) -> Array:
    """The points (n, 3) of a mesh within a slab, and the points where its edges cross the slab's two planes."""
    along = points[:, axis]
    parts = [points[(along >= low) & (along <= high)]]
    for plane in (low, high):
        off = along - plane
        crossing = edges[off[edges[:, 0]] * off[edges[:, 1]] < 0]
        share = off[crossing[:, 0]] / (off[crossing[:, 0]] - off[crossing[:, 1]])
        parts.append(points[crossing[:, 0]] + share[:, None] * (points[crossing[:, 1]] - points[crossing[:, 0]]))
    return np.vstack(parts)


def _corners_around(points: Array) -> tuple[Vector3, ...]:
    """Corners of the hull around points, or of a slightly larger solid."""
    # Imported here, as below: this takes most of a second, also for robots without meshes.
    from scipy.spatial import ConvexHull, QhullError

    if np.ptp(points, axis=0).min() < _THINNEST_M:
        return _as_corners(_box_around(points))
    try:
        hull = ConvexHull(points)
        corners = points[hull.vertices]
        if len(corners) > _MOST_CORNERS:
            corners = _fewer(corners)
    except QhullError:
        corners = _box_around(points)
    return _as_corners(corners)


def _mesh(file: Path) -> tuple[Array, NDArray[np.int64]]:
    """The points (n, 3) of a mesh in m, and its edges as pairs (m, 2) of point indices."""
    points, edges = read_mesh(file, _points_and_edges)
    if len(points) < _LEAST_POINTS:
        raise ConfigError(f'must have at least {_LEAST_POINTS} points, got {len(points)}', file=str(file))
    if not np.isfinite(points).all():
        raise ConfigError('has a point with a coordinate that is not finite', file=str(file))
    return points, edges


def _points_and_edges(trimesh: Any, file: Path) -> tuple[Array, NDArray[np.int64]]:
    mesh = trimesh.load(file, force='mesh')
    points = np.asarray(mesh.vertices, dtype=np.float64) * unit_m(file)
    return points, np.asarray(mesh.edges_unique, dtype=np.int64)


def _fewer(corners: Array) -> Array:
    """Extreme corners in evenly spread directions, moved outwards until their hull contains all corners.

    The directions are evenly spread after scaling the corners to the same extent in all directions, so that a flat part
    keeps its shape.
    """
    from scipy.spatial import ConvexHull

    middle = corners.mean(axis=0)
    _, spread, axes = np.linalg.svd(corners - middle, full_matrices=False)
    even = (corners - middle) @ axes.T / np.maximum(spread, 1e-9)
    index = np.arange(_MOST_CORNERS) + 0.5
    polar, turn = np.arccos(1 - 2 * index / _MOST_CORNERS), np.pi * (1 + np.sqrt(5.0)) * index
    ways = np.stack((np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)), axis=1)
    chosen = corners[np.unique((even @ ways.T).argmax(axis=0))]
    middle = chosen.mean(axis=0)
    planes = ConvexHull(chosen - middle).equations
    outwards = ((corners - middle) @ planes[:, :3].T / -planes[:, 3]).max()
    grown: Array = middle + (chosen - middle) * max(1.0, float(outwards))
    return grown


def _box_around(points: Array) -> Array:
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, _THINNEST_M)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    box: Array = middle + signs * half
    return box


def _as_corners(points: Array) -> tuple[Vector3, ...]:
    return tuple((float(x), float(y), float(z)) for x, y, z in points)
