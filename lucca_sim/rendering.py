"""Rendering of a world: colour and depth in one pass of the renderer, at half the cost of two passes."""

from typing import Any

import cv2
import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_sim.mujoco_world import CAMERA, SHOWCASE, SHOWCASE_HEIGHT, SHOWCASE_WIDTH, CameraIntrinsics

_MAX_GEOMS = 2000


class Pictures:
    """Renders one model off screen. Like its graphics context, it belongs to the thread that created it."""

    def __init__(self, model: mujoco.MjModel, camera: CameraIntrinsics) -> None:
        self._model = model
        self._camera = camera
        self._scene = mujoco.MjvScene(model, maxgeom=_MAX_GEOMS)
        self._option = mujoco.MjvOption()
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._gl: Any = mujoco.GLContext(2 * SHOWCASE_WIDTH, 2 * SHOWCASE_HEIGHT)
        self._gl.make_current()
        # A third of the time it takes to make a context goes into its map of shadows, which only stills need.
        self._context = self._new_context(shadow_size=0)
        self._with_shadows: mujoco.MjrContext | None = None
        extent = model.stat.extent
        near, far = model.vis.map.znear * extent, model.vis.map.zfar * extent
        # A depth buffer value b, 1 at the near plane and 0 at the far plane, is (1/z - 1/far) / (1/near - 1/far).
        self._inverse_far = 1.0 / far
        self._inverse_span = 1.0 / near - 1.0 / far

    def colour_and_depth(self, data: mujoco.MjData) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The camera's rgb (h, w, 3) and depth in m (h, w), row 0 at the top."""
        width, height = self._camera.width, self._camera.height
        rgb = np.empty((height, width, 3), dtype=np.uint8)
        buffer = np.empty((height, width), dtype=np.float32)
        self._draw(data, CAMERA, width, height, shadows=False)
        mujoco.mjr_readPixels(rgb, buffer, mujoco.MjrRect(0, 0, width, height), self._context)
        depth = np.reciprocal(buffer[::-1] * np.float32(self._inverse_span) + np.float32(self._inverse_far))
        return np.ascontiguousarray(rgb[::-1]), depth

    def showcase(self, data: mujoco.MjData, *, smooth: bool = False) -> NDArray[np.uint8]:
        """An image for people, rgb (h, w, 3); `smooth`, for stills, adds shadows and takes nine times as long."""
        scale = 2 if smooth else 1
        width, height = scale * SHOWCASE_WIDTH, scale * SHOWCASE_HEIGHT
        rgb = np.empty((height, width, 3), dtype=np.uint8)
        self._draw(data, SHOWCASE, width, height, shadows=smooth)
        mujoco.mjr_readPixels(rgb, None, mujoco.MjrRect(0, 0, width, height), self._context_for(shadows=smooth))
        rgb = np.ascontiguousarray(rgb[::-1])
        return cv2.resize(rgb, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) if smooth else rgb

    def close(self) -> None:
        """Frees the graphics context; the object cannot be used afterwards."""
        if self._with_shadows is not None:
            self._with_shadows.free()
        self._context.free()
        self._gl.free()

    def _context_for(self, *, shadows: bool) -> mujoco.MjrContext:
        if not shadows:
            return self._context
        if self._with_shadows is None:
            self._with_shadows = self._new_context(shadow_size=self._model.vis.quality.shadowsize)
        return self._with_shadows

    def _new_context(self, *, shadow_size: int) -> mujoco.MjrContext:
        quality = self._model.vis.quality
        own_size, quality.shadowsize = quality.shadowsize, shadow_size
        try:
            context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100)
        finally:
            quality.shadowsize = own_size
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return context

    def _draw(self, data: mujoco.MjData, camera: str, width: int, height: int, *, shadows: bool) -> None:
        self._gl.make_current()
        context = self._context_for(shadows=shadows)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        self._view.fixedcamid = self._model.camera(camera).id
        mujoco.mjv_updateScene(
            self._model, data, self._option, None, self._view, mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        mujoco.mjr_render(mujoco.MjrRect(0, 0, width, height), self._scene, context)
