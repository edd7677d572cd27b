"""Recording of a run: the trace of all states (`trace.npz`), a video and stills.

True object poses leave the simulator only through the trace, which is written when the run is over.
"""

import logging
import os
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lucca_sim.robot_at_table import RobotAtTable
from lucca_sim.simulated_table import Contacts

_log = logging.getLogger(__name__)

TRACE_FORMAT = 2
TRACE_FILE = 'trace.npz'
VIDEO_FILE = 'demo.mp4'


class TraceRecorder:
    """Samples a table while it is stepped; `finish` writes the files. docs/trace.md describes every field.

    `trace.npz` has the states `time_s` (t,), `object_names` (n,), `object_labels` (n,), `object_positions_m` (t, n, 3),
    `object_orientations_wxyz` (t, n, 4), `object_velocities` (t, n, 6; linear m/s, angular rad/s about the object's own
    axes), `object_held_by` (t, n; '' or the hand's side), `joint_names` (j,) and `joint_positions` (t, j; rad or m);
    the scene's `container_names` (c,), `container_positions_m` (c, 3; centre of the footprint), `container_sizes_m` (c,
    3), `region_names` (r,), `region_bounds_m` (r, 4; x low, x high, y low, y high), `scene`, `seed`, `engine` and
    `robot`; the contacts `body_names` (b,), `contact_rows` (k,; the row in time), `contact_bodies` (k, 2),
    `contact_normals` (k, 3), `contact_depths_m` (k,) and `contact_forces_n` (k,), empty if the engine has none
    (`has_contacts`); and the hands `hand_names` (h,), `hand_asked` and `hand_measured` (t, h; 0 open to 1 closed).
    `format` is the version of the layout.
    """

    def __init__(
        self,
        table: RobotAtTable,
        folder: Path,
        *,
        engine: str,
        trace_rate_hz: float = 50.0,
        video_rate_hz: float = 0.0,
        video_speed: float = 8.0,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._table = table
        self._folder = folder
        self._engine = engine
        self._trace_period_s = 1.0 / trace_rate_hz
        self._video_period_s = 1.0 / video_rate_hz if video_rate_hz > 0 else float('inf')
        self._frames_per_s = max(1.0, video_rate_hz * video_speed)
        self._rows = 0
        self._frames = 0
        self._times: list[float] = []
        self._positions: list[NDArray[np.float64]] = []
        self._orientations: list[NDArray[np.float64]] = []
        self._velocities: list[NDArray[np.float64]] = []
        self._held: list[tuple[str, ...]] = []
        self._joints: list[list[float]] = []
        self._contacts: list[Contacts | None] = []
        self._closures: list[list[tuple[float, float]]] = []
        self._joint_names = tuple(table.joint_positions())
        self._video: cv2.VideoWriter | None = None
        self._finished = False

    @property
    def next_s(self) -> float:
        """Simulated time, in s, at which the next row of the trace is due."""
        return self._rows * self._trace_period_s

    def sample(self) -> None:
        """Records the row of the trace and the video frame that are due. Call it whenever `next_s` is reached."""
        now = self._table.time_s
        if now >= self._rows * self._trace_period_s - 1e-6:
            self._rows += 1
            states = self._table.object_states()
            self._times.append(now)
            self._positions.append(states.positions_m)
            self._orientations.append(states.orientations_wxyz)
            self._velocities.append(states.velocities)
            self._held.append(states.held_by)
            self._joints.append(list(self._table.joint_positions().values()))
            self._contacts.append(self._table.contacts())
            self._closures.append([(hand.asked, hand.measured) for hand in self._table.hand_closures().values()])
        if self._video_period_s < float('inf') and now >= self._frames * self._video_period_s - 1e-6:
            self._frames += 1
            self._add_frame()

    def still(self, name: str) -> Path:
        """Writes an image `NAME.png` of the present state, smooth and with shadows."""
        path = self._folder / f'{name}.png'
        cv2.imwrite(str(path), cv2.cvtColor(self._table.showcase(smooth=True), cv2.COLOR_RGB2BGR))
        return path

    def finish(self) -> None:
        """Closes the video and writes the trace atomically. A second call does nothing."""
        if self._finished:
            return
        self._finished = True
        if self._video is not None:
            self._video.release()
        scene = self._table.scene
        names = np.array(scene.object_names, dtype=str)
        count, joints = len(names), len(self._joint_names)
        rows = len(self._times)
        bounds = [(*region.area.x_m, *region.area.y_m) for region in scene.regions]
        path = self._folder / TRACE_FILE
        part = path.with_suffix('.part.npz')
        with part.open('wb') as stream:
            np.savez_compressed(
                stream,
                time_s=np.array(self._times),
                object_names=names,
                object_labels=np.array([item.label for item in scene.objects], dtype=str),
                object_positions_m=np.array(self._positions).reshape(rows, count, 3),
                object_orientations_wxyz=np.array(self._orientations).reshape(rows, count, 4),
                object_velocities=np.array(self._velocities).reshape(rows, count, 6),
                object_held_by=np.array(self._held, dtype=str).reshape(rows, count),
                joint_names=np.array(self._joint_names, dtype=str),
                joint_positions=np.array(self._joints).reshape(rows, joints),
                container_names=np.array([item.name for item in scene.containers], dtype=str),
                container_positions_m=np.array([item.position_world_m for item in scene.containers]).reshape(-1, 3),
                container_sizes_m=np.array([item.size_m for item in scene.containers]).reshape(-1, 3),
                region_names=np.array([region.name for region in scene.regions], dtype=str),
                region_bounds_m=np.array(bounds).reshape(-1, 4),
                scene=np.array(scene.name),
                seed=np.array(scene.seed),
                engine=np.array(self._engine),
                robot=np.array(self._table.profile.source),
                format=np.array(TRACE_FORMAT),
                **self._hands(),  # type: ignore[arg-type]
                **self._touches(),  # type: ignore[arg-type]
            )
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
        _log.info('wrote %s: %d rows, %d frames of video', path, rows, self._frames)

    def _hands(self) -> dict[str, NDArray[np.generic]]:
        names = tuple(self._table.hand_closures())
        closures = np.array(self._closures, dtype=np.float32).reshape(len(self._times), len(names), 2)
        return {
            'hand_names': np.array(names, dtype=str),
            'hand_asked': closures[:, :, 0],
            'hand_measured': closures[:, :, 1],
        }

    def _touches(self) -> dict[str, NDArray[np.generic]]:
        known = [(row, contacts) for row, contacts in enumerate(self._contacts) if contacts is not None]
        rows = [np.full(len(contacts.bodies), row, dtype=np.int32) for row, contacts in known]
        return {
            'has_contacts': np.array(bool(known) or not self._contacts),
            'body_names': np.array(self._table.body_names, dtype=str),
            'contact_rows': np.concatenate([np.zeros(0, dtype=np.int32), *rows]),
            'contact_bodies': np.concatenate([np.zeros((0, 2), np.int16), *(item.bodies for _, item in known)]),
            'contact_normals': _joined([item.normals for _, item in known], (0, 3)),
            'contact_depths_m': _joined([item.depths_m for _, item in known], (0,)),
            'contact_forces_n': _joined([item.forces_n for _, item in known], (0,)),
        }

    def _add_frame(self) -> None:
        frame = cv2.cvtColor(self._table.showcase(), cv2.COLOR_RGB2BGR)
        if self._video is None:
            height, width = frame.shape[:2]
            self._video = cv2.VideoWriter(
                str(self._folder / VIDEO_FILE), cv2.VideoWriter.fourcc(*'mp4v'), self._frames_per_s, (width, height)
            )
        self._video.write(frame)


def _joined(parts: Sequence[NDArray[np.float64]], empty: tuple[int, ...]) -> NDArray[np.float32]:
    """Concatenates arrays in single precision, rounded so that they compress well."""
    joined = np.concatenate([np.zeros(empty), *parts])
    return np.round(joined, 5).astype(np.float32)
