"""A pinhole camera with its pose: conversion of pixels and depth to world coordinates and back."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intrinsics:
    """A pinhole camera's image size and projection, in pixels."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Camera(Intrinsics):
    """Intrinsics and the pose of the optical frame (x right, y down, z into the scene) in the world.

    `rotation` (3, 3) and `position_m` (3,) take optical coordinates to the world: `world = rotation @ p + position_m`.
    Depth always means the coordinate along the optical axis, in m, not the distance.
    """

    rotation: Doubles
    position_m: Doubles

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1 or self.fx <= 0 or self.fy <= 0:
            raise ValueError(
                f'a camera needs a size and focal lengths above 0, got {self.width}x{self.height}, {self.fx}, {self.fy}'
            )
        if not np.allclose(self.rotation @ self.rotation.T, np.eye(3), atol=1e-6):
            raise ValueError('rotation must be a rotation matrix')

    @cached_property
    def rays(self) -> tuple[Floats, Floats, Floats]:
        """World x, y, z per metre of depth for every pixel; three arrays (height, width)."""
        u = (np.arange(self.width, dtype=np.float64) - self.cx) / self.fx
        v = (np.arange(self.height, dtype=np.float64) - self.cy) / self.fy
        uu, vv = np.meshgrid(u, v)
        directions = np.stack((uu, vv, np.ones_like(uu)), axis=-1) @ self.rotation.T
        x, y, z = (np.ascontiguousarray(directions[..., axis], dtype=np.float32) for axis in range(3))
        return x, y, z

    def project(self, points_m: NDArray[np.floating]) -> tuple[Doubles, Doubles]:
        """Pixels (n, 2) as column, row, and depths (n,) of world points (n, 3).

        Points behind the camera have depth <= 0 and pixel nan.
        """
        local = (np.asarray(points_m, np.float64) - self.position_m) @ self.rotation
        depth = local[:, 2]
        with np.errstate(divide='ignore', invalid='ignore'):
            scale = np.where(depth > 1e-6, 1.0 / depth, np.nan)
        pixels = np.stack((local[:, 0] * scale * self.fx + self.cx, local[:, 1] * scale * self.fy + self.cy), axis=1)
        return pixels, depth


def rotation_from_quaternion(x: float, y: float, z: float, w: float) -> Doubles:
    """The rotation matrix (3, 3) of a unit quaternion."""
    matrix: Doubles = Rotation.from_quat((x, y, z, w)).as_matrix()
    return matrix
