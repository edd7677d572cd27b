"""Joining of the traces and videos that the simulator recorded for several tables."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from lucca_core.errors import LuccaError

_FRAMES_PER_S = 20.0


def join_traces(files: Mapping[str, Path], target: Path) -> float:
    """Writes the arrays of several traces into one file, each under `TABLE/`. Returns the simulated seconds."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    simulated_s = 0.0
    for table, file in files.items():
        with np.load(file, allow_pickle=False) as data:
            arrays |= {f'{table}/{key}': data[key] for key in data.files}
            simulated_s += float(data['time_s'][-1] - data['time_s'][0])
    np.savez_compressed(target, **arrays)  # type: ignore[arg-type]
    return simulated_s


def join_videos(files: Sequence[Path], target: Path) -> int:
    """Writes the frames of several videos, one after another, into one mp4. Returns the number of frames.

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
                writer = cv2.VideoWriter(str(target), cv2.VideoWriter.fourcc(*'mp4v'), _FRAMES_PER_S, size)
                if not writer.isOpened():
                    raise LuccaError(f'{target}: the video could not be opened for writing')
            writer.write(frame)
            count += 1
        capture.release()
    if writer is None:
        raise LuccaError(f'no frame in {", ".join(map(str, files))}')
    writer.release()
    return count
