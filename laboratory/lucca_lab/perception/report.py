"""The report of `lucca eval perception`: a summary, a table of figures, and pictures of the worst scenes."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from lucca_lab.perception.run import PerceptionPlan
from lucca_lab.perception.stills import StillResult, noisy, still
from lucca_lab.perception.summary import Results, as_json, figures, misses
from perception_node.annotation import annotated
from perception_node.config import PerceptionConfig
from perception_node.pipeline import make_pipeline

WORST = 8
_MISSED = (255, 40, 40)


def write_report(plan: PerceptionPlan, results: Results, out: Path) -> dict[str, Any]:
    """Writes summary.json, table.md and pictures of the worst scenes. Returns the contents of the summary."""
    summary = as_json(results, asdict(plan))
    (out / 'summary.json').write_text(json.dumps(summary, indent=2) + '\n', encoding='utf-8')
    (out / 'table.md').write_text(table(plan, results), encoding='utf-8')
    for item in worst(results):
        cv2.imwrite(str(out / f'worst-{item.number:04d}.png'), picture(plan, item)[..., ::-1])
    return summary


def table(plan: PerceptionPlan, results: Results) -> str:
    """The figures as Markdown."""
    lines = [
        f'Detector `{plan.detector}`, seed {plan.seed}.',
        '',
        '| figure | measured | target | |',
        '| --- | --- | --- | --- |',
    ]
    marks = {True: 'kept', False: '**missed**', None: ''}
    lines += [f'| {item.name} | {item.text()} | {item.target} | {marks[item.kept]} |' for item in figures(results)]
    for what, kinds in misses(results).items():
        if kinds:
            lines += ['', f'{what}: ' + ', '.join(f'{name} {count}' for name, count in kinds.items())]
    return '\n'.join(lines) + '\n'


def worst(results: Results) -> tuple[StillResult, ...]:
    """The scenes with the most mistakes; among equals, those with the largest error of position come first."""
    ordered = sorted(
        results.stills,
        key=lambda item: (-len(item.score.missed) - len(item.score.wrong), -max(item.score.errors_mm, default=0.0)),
    )
    return tuple(ordered[:WORST])


def picture(plan: PerceptionPlan, item: StillResult) -> np.ndarray:
    """The picture of a scene with all detections drawn into it, and red boxes around missed objects."""
    frames = Path(plan.frames) if plan.frames else None
    made = still(plan.seed, item.number, frames)
    frame = noisy(made, plan.seed, item.number)
    config = PerceptionConfig(detector=plan.detector, camera_pose_from_robot=False, camera_pose=made.camera_pose)
    pipeline = make_pipeline(config, made.intrinsics)
    drawn = annotated(frame.rgb, pipeline.process(frame), pipeline.camera)
    for truth in made.truth:
        if truth.name in item.score.missed:
            x, y, width, height = truth.box_px
            cv2.rectangle(drawn, (x - 3, y - 3), (x + width + 2, y + height + 2), _MISSED, 2)
            cv2.putText(
                drawn, truth.name, (x, y + height + 14), cv2.FONT_HERSHEY_SIMPLEX, 0.38, _MISSED, 1, cv2.LINE_AA
            )
    return drawn
