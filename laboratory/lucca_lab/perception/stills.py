"""One test picture: a rendered scene that a new perception pipeline sees once, and its score."""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.archived_weights import DAMAGED_ARCHIVE
from lucca_core.errors import PerceptionError
from lucca_lab.perception.scenes import draw_conditions, draw_still
from lucca_lab.perception.scoring import FrameScore, score
from lucca_lab.perception.view import ObjectTruth, RenderedTable, with_noise
from perception_node.camera import Intrinsics
from perception_node.config import PerceptionConfig
from perception_node.detector import Detector
from perception_node.pipeline import Frame, make_pipeline

_STILLS = 1
TIMED = 3
"""Number of runs per picture for the frame rate. The fastest counts, since other processes use the machine too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A picture without sensor noise, with its ground truth, and the camera's pose and lens."""

    frame: Frame
    truth: tuple[ObjectTruth, ...]
    intrinsics: Intrinsics
    camera_pose: tuple[float, ...]

    def save(self, file: Path) -> None:
        """Writes the picture to a file, completely or not at all."""
        about = {
            'truth': [asdict(item) for item in self.truth],
            'intrinsics': asdict(self.intrinsics),
            'camera_pose': self.camera_pose,
            'joints': dict(self.frame.joint_positions),
        }
        partial = file.with_suffix('.part')
        with partial.open('wb') as out:
            np.savez_compressed(out, rgb=self.frame.rgb, depth_m=self.frame.depth_m, about=np.array(json.dumps(about)))
        partial.replace(file)

    @classmethod
    def load(cls, file: Path) -> 'Still':
        """Reads a saved picture.

        Raises:
            PerceptionError: the file is damaged.
        """
        try:
            with np.load(file, allow_pickle=False) as data:
                about: dict[str, Any] = json.loads(str(data['about']))
                frame = Frame(stamp_s=0.0, rgb=data['rgb'], depth_m=data['depth_m'], joint_positions=about['joints'])
        except DAMAGED_ARCHIVE as error:
            raise PerceptionError(f'{file} is no still: {error}; delete it, and it is rendered again') from error
        return cls(
            frame=frame,
            truth=tuple(
                ObjectTruth(**{**item, 'box_px': tuple(item['box_px']), 'position_m': tuple(item['position_m'])})
                for item in about['truth']
            ),
            intrinsics=Intrinsics(**about['intrinsics']),
            camera_pose=tuple(about['camera_pose']),
        )


def still(seed: int, number: int, frames: Path | None = None) -> Still:
    """Scene `number` of the set with this seed. It is read from the folder `frames`, or rendered and saved there."""
    file = frames / f'{seed}-{number:04d}.npz' if frames is not None else None
    if file is not None and file.exists():
        return Still.load(file)
    rng = np.random.default_rng((seed, _STILLS, number))
    table = RenderedTable(draw_still(rng), draw_conditions(rng))
    try:
        made = Still(
            frame=table.frame(),
            truth=table.truth(),
            intrinsics=table.intrinsics,
            camera_pose=table.config.camera_pose,
        )
    finally:
        table.close()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        made.save(file)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class StillResult:
    """The result of one scene: `visible` has the visible share of each object, `cpu_s` the frame time on one core."""

    number: int
    score: FrameScore
    visible: dict[str, float]
    cpu_s: float


def noisy(made: Still, seed: int, number: int) -> Frame:
    """The picture as the sensors would deliver it, with noise."""
    return with_noise(made.frame, np.random.default_rng((seed, _STILLS, number, 1)))


def run_still(seed: int, number: int, detector: Detector, frames: Path | None = None) -> StillResult:
    """Renders a scene, runs the pipeline and scores the result.

    Raises:
        LuccaError: the detector cannot use the picture.
    """
    made = still(seed, number, frames)
    frame = noisy(made, seed, number)
    config = PerceptionConfig(camera_pose_from_robot=False, camera_pose=made.camera_pose)
    times = []
    for _ in range(TIMED):
        pipeline = make_pipeline(config, made.intrinsics, detector=detector)
        began = time.thread_time()
        snapshot = pipeline.process(frame)
        times.append(time.thread_time() - began)
    return StillResult(
        number=number,
        score=score(made.truth, snapshot),
        visible={item.name: round(item.visible, 3) for item in made.truth},
        cpu_s=min(times),
    )
