"""The run of all scenes and sequences of the perception test set, in one or several processes; it can be resumed."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import cv2

from lucca_core.errors import ConfigError
from lucca_lab.perception.scoring import FrameScore
from lucca_lab.perception.sequences import SequenceResult, run_sequence
from lucca_lab.perception.stills import StillResult, run_still
from lucca_lab.perception.summary import Results
from perception_node.config import PerceptionConfig
from perception_node.detector import Detector
from perception_node.detectors.detector_spec import make_detector

PLAN_FILE = 'plan.json'
Kind = Literal['still', 'sequence']
OnDone = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptionPlan:
    """The settings of a run. `detector` is a spec; `frames` is a folder for rendered pictures, or empty for none."""

    scenes: int = 500
    sequences: int = 100
    seed: int = 1
    detector: str = 'prototypes'
    frames: str = ''

    def __post_init__(self) -> None:
        if self.scenes < 1 or self.sequences < 0 or self.seed < 0:
            raise ValueError(
                f'scenes must be 1 or more, sequences and seed 0 or more, got {self.scenes}, {self.sequences}, '
                f'{self.seed}'
            )


def run(
    plan: PerceptionPlan, out: Path, *, processes: int = 1, on_done: OnDone = lambda what, done, total: None
) -> Results:
    """Measures what the folder does not have yet, and returns all results. More scenes may be added later.

    Raises:
        ConfigError: the folder holds results for another seed or detector.
        LuccaError: the detector cannot be loaded, or cannot use a picture.
    """
    out.mkdir(parents=True, exist_ok=True)
    _check_same(plan, out / PLAN_FILE)
    stills = dict(_read(out / 'scenes.jsonl', _still_from))
    sequences = dict(_read(out / 'sequences.jsonl', _sequence_from))
    jobs: tuple[tuple[str, int, dict[int, Any], Kind], ...] = (
        ('scenes', plan.scenes, stills, 'still'),
        ('sequences', plan.sequences, sequences, 'sequence'),
    )
    for name, count, known, kind in jobs:
        left = [number for number in range(count) if number not in known]
        with (out / f'{name}.jsonl').open('a', encoding='utf-8') as file:
            for result in _each(partial(_measure, kind, plan), left, processes):
                file.write(json.dumps(asdict(result)) + '\n')
                file.flush()
                known[result.number] = result
                on_done(name, len([number for number in known if number < count]), count)
    return Results(
        tuple(stills[number] for number in sorted(stills) if number < plan.scenes),
        tuple(sequences[number] for number in sorted(sequences) if number < plan.sequences),
    )


def _measure(kind: Kind, plan: PerceptionPlan, number: int) -> StillResult | SequenceResult:
    # The frame rate is reported for one core.
    cv2.setNumThreads(1)
    frames = Path(plan.frames) if plan.frames else None
    detector = _detector(plan.detector)
    if kind == 'still':
        return run_still(plan.seed, number, detector, frames)
    return run_sequence(plan.seed, number, detector)


@cache
def _detector(spec: str) -> Detector:
    """The detector. Each process loads it only once."""
    return make_detector(PerceptionConfig(detector=spec))


def _each(
    measure: Callable[[int], StillResult | SequenceResult], numbers: Sequence[int], processes: int
) -> Iterator[StillResult | SequenceResult]:
    if processes <= 1:
        yield from map(measure, numbers)
        return
    # Forking a process with a graphics context may leave locks held forever in the child.
    with ProcessPoolExecutor(processes, mp_context=get_context('spawn')) as pool:
        yield from pool.map(measure, numbers)


def _check_same(plan: PerceptionPlan, file: Path) -> None:
    same = {'seed': plan.seed, 'detector': plan.detector}
    if not file.exists():
        file.write_text(json.dumps(same) + '\n', encoding='utf-8')
        return
    before = json.loads(file.read_text(encoding='utf-8'))
    if before != same:
        raise ConfigError(f'holds results of {before}, not of {same}; name another folder', file=str(file))


def _read(file: Path, convert: Callable[[dict[str, Any]], Any]) -> Iterator[tuple[int, Any]]:
    """The results in a file, by number. An incomplete last line is removed, and its scene is measured again."""
    if not file.exists():
        return
    text = file.read_text(encoding='utf-8')
    whole = text[: text.rfind('\n') + 1]
    if whole != text:
        file.write_text(whole, encoding='utf-8')
    for line in whole.splitlines():
        item = convert(json.loads(line))
        yield item.number, item


def _still_from(values: dict[str, Any]) -> StillResult:
    score = FrameScore(**{name: tuple(value) for name, value in values.pop('score').items()})
    return StillResult(score=score, **values)


def _sequence_from(values: dict[str, Any]) -> SequenceResult:
    events = tuple((at, name, before, after) for at, name, before, after in values.pop('events'))
    return SequenceResult(events=events, **values)
