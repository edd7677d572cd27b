"""The simulator's record of a run: reading it, and joining the records of several tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from lucca_core.damaged_archive import DAMAGED_ARCHIVE
from lucca_core.errors import LuccaError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Trace:
    """Every state of objects and joints of a run, n samples at 50 Hz of simulated time.

    time_s (n,); object_positions_m (n, k, 3) world; object_speeds_mps (n, k) linear; joint_positions_rad
    (n, j); attached (n, k) bool: the object is welded to a hand.
    """

    time_s: Floats
    object_names: tuple[str, ...]
    object_positions_m: Floats
    object_speeds_mps: Floats
    joint_names: tuple[str, ...]
    joint_positions_rad: Floats
    attached: npt.NDArray[np.bool_]

    def index_of(self, name: str) -> int:
        """Column of an object."""
        return self.object_names.index(name)


def load_trace(file: Path) -> Trace:
    """A trace from `trace.npz` of one table.

    Raises:
        LuccaError: the file is missing or has not what a trace has.
    """
    try:
        with np.load(file, allow_pickle=False) as data:
            return Trace(
                time_s=data['time_s'],
                object_names=tuple(map(str, data['object_names'])),
                object_positions_m=data['object_positions_m'],
                object_speeds_mps=np.linalg.norm(data['object_velocities'][:, :, :3], axis=2),
                joint_names=tuple(map(str, data['joint_names'])),
                joint_positions_rad=data['joint_positions'],
                attached=data['object_held_by'] != '',
            )
    except DAMAGED_ARCHIVE as error:
        raise LuccaError(f'{file} is no trace: {error}') from error


def join_traces(files: Mapping[str, Path], target: Path) -> float:
    """Writes the arrays of several traces into one file, each under `TABLE/`. Returns the simulated seconds in all."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    simulated_s = 0.0
    for table, file in files.items():
        with np.load(file, allow_pickle=False) as data:
            arrays |= {f'{table}/{key}': data[key] for key in data.files}
            simulated_s += float(data['time_s'][-1] - data['time_s'][0])
    np.savez_compressed(target, **arrays)  # type: ignore[arg-type]
    return simulated_s


def join_videos(files: Sequence[Path], target: Path, frames_per_s: float = 20.0) -> int:
    """Writes the frames of several videos, one after the other, into one mp4. Returns how many frames.

    Raises:
        LuccaError: no frame was found, or the video cannot be written.
    """
    writer: cv2.VideoWriter | None = None
    count = 0
    for file in files:
        capture = cv2.VideoCapture(str(file))
        while True:
            there, frame = capture.read()
            if not there:
                break
            if writer is None:
                size = (frame.shape[1], frame.shape[0])
                writer = cv2.VideoWriter(str(target), cv2.VideoWriter.fourcc(*'mp4v'), frames_per_s, size)
                if not writer.isOpened():
                    raise LuccaError(f'{target}: the video could not be opened for writing')
            writer.write(frame)
            count += 1
        capture.release()
    if writer is None:
        raise LuccaError(f'no frame in {", ".join(map(str, files))}')
    writer.release()
    return count
