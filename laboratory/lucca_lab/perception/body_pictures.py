"""Pictures of what body is where: the ground truth that no part of the stack sees."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.mujoco_world import CAMERA
from lucca_sim.rendering import Pictures


class BodyPictures(Pictures):
    """Pictures that also tell the bodies."""

    def bodies(self, data: mujoco.MjData, only: int | None = None) -> NDArray[np.int32]:
        """The id of the body shown by each pixel of the camera's image (h, w); -1 for none.

        `only`: renders this body as if there were no others.
        """
        width, height = self._camera.width, self._camera.height
        groups = self._model.geom_group.copy()
        shown = self._option.geomgroup.copy()
        if only is not None:
            # The last of the groups, which contains nothing else during this rendering.
            visible = (self._model.geom_bodyid == only) & (shown[groups] > 0)
            self._model.geom_group[:] = 0
            self._model.geom_group[visible] = len(shown) - 1
            self._option.geomgroup[:] = [0] * (len(shown) - 1) + [1]
        rgb = np.empty((height, width, 3), dtype=np.uint8)
        # Renders each geom in a flat colour that encodes its number.
        coded = [int(mujoco.mjtRndFlag.mjRND_SEGMENT), int(mujoco.mjtRndFlag.mjRND_IDCOLOR)]
        self._scene.flags[coded] = True
        try:
            self._draw(data, CAMERA, width, height, shadows=False)
            mujoco.mjr_readPixels(rgb, None, mujoco.MjrRect(0, 0, width, height), self._context)
        finally:
            self._scene.flags[coded] = False
            self._model.geom_group[:] = groups
            self._option.geomgroup[:] = shown
        number = rgb[::-1].astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32)
        body_of = np.full(self._scene.ngeom + 1, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and 0 <= geom.segid < self._scene.ngeom:
                body_of[geom.segid + 1] = self._model.geom_bodyid[geom.objid]
        shown_body: NDArray[np.int32] = body_of[np.minimum(number, self._scene.ngeom)]
        return shown_body


class JudgedTable(KinematicTable):
    """A table whose pictures also tell the bodies."""

    def bodies_in_picture(self, only: int | None = None) -> NDArray[np.int32]:
        """See BodyPictures.bodies."""
        return self._camera().bodies(self.data, only)

    def _camera(self) -> BodyPictures:
        if not isinstance(self._pictures, BodyPictures):
            self._pictures = BodyPictures(self.model, self.camera_info)
        return self._pictures
