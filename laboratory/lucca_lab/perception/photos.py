"""Photographs with labelled boxes: a detector's precision and recall by label, without depth.

A set is a folder as YOLO trains on it: `classes.txt` with one class on each line, pictures in `images/`, and for each
picture a text of the same name in `labels/`, with a line `class x y width height` for each box (its middle and size, as
shares of the picture; further numbers on a line are ignored). A picture without a text shows nothing of these classes.
"""

import resource
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import cv2
import numpy as np

from lucca_core.errors import ConfigError
from lucca_lab.perception.scoring import IOU
from lucca_lab.tasks.scoring import wilson
from perception_node.config import PerceptionConfig
from perception_node.detector import Image
from perception_node.detectors.boxes import Boxes, NamedBox, overlaps
from perception_node.detectors.detector_spec import make_detector
from perception_node.detectors.onnx_detector import label_of
from perception_node.lexicon import load_lexicon

LEAST_SCORES = (0.2, 0.3, 0.5)
"""Scores from which on a detection counts; the first one is that of the report by label."""
_ENDINGS = ('.jpg', '.jpeg', '.png')


@runtime_checkable
class PictureDetector(Protocol):
    """A detector that finds boxes in a picture alone."""

    def boxes_in(self, rgb: Image, vocabulary: Sequence[str]) -> tuple[NamedBox, ...]:
        """Boxes of a vocabulary in a picture (h, w, 3), the best first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Photo:
    """A photograph with the labels of the things in it and their boxes (n, 4): corners as shares of the picture."""

    file: Path
    labels: tuple[str, ...]
    boxes: Boxes

    def rgb(self) -> Image:
        """The picture (h, w, 3).

        Raises:
            ConfigError: it cannot be read.
        """
        read = cv2.imread(str(self.file), cv2.IMREAD_COLOR)
        if read is None:
            raise ConfigError('is no picture that can be read', file=str(self.file))
        return np.ascontiguousarray(read[..., ::-1])


@dataclass(frozen=True, slots=True)
class Counts:
    """Things found, missed, and detections of nothing."""

    found: int = 0
    missed: int = 0
    wrong: int = 0

    def as_json(self) -> dict[str, Any]:
        """The counts, with precision and recall and their 95 % intervals (Wilson)."""
        result: dict[str, Any] = asdict(self)
        for name, of in (('precision', self.found + self.wrong), ('recall', self.found + self.missed)):
            result[name] = round(self.found / of, 4) if of else None
            result[f'{name}_interval'] = [round(end, 4) for end in wilson(self.found, of)] if of else None
        return result


def photos_in(folder: Path) -> tuple[tuple[str, ...], tuple[Photo, ...]]:
    """The labels of a set, as lucca calls them, and its photographs.

    Raises:
        ConfigError: the folder is no such set; the message names the file and the reason.
    """
    lexicon = load_lexicon()
    listed = folder / 'classes.txt'
    try:
        said = [line.strip() for line in listed.read_text(encoding='utf-8').strip().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'cannot be read: {error}', file=str(listed)) from error
    names = tuple(label_of(name, lexicon) for name in said)
    files = sorted(item for item in (folder / 'images').glob('**/*') if item.suffix.lower() in _ENDINGS)
    if not files:
        raise ConfigError('holds no pictures (jpg or png)', file=str(folder / 'images'))
    return tuple(dict.fromkeys(names)), tuple(_photo(folder, file, names) for file in files)


def _photo(folder: Path, file: Path, names: Sequence[str]) -> Photo:
    told = (folder / 'labels' / file.relative_to(folder / 'images')).with_suffix('.txt')
    labels, boxes = [], []
    lines = told.read_text(encoding='utf-8').splitlines() if told.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            kind, x, y, width, height = (float(word) for word in line.split()[:5])
            labels.append(names[int(kind)])
        except (ValueError, IndexError) as error:
            raise ConfigError(f'is no class and box: {line[:60]!r}', file=str(told), line=number) from error
        boxes.append((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
    return Photo(file=file, labels=tuple(labels), boxes=np.array(boxes, np.float64).reshape(-1, 4))


def score_photo(photo: Photo, boxes: Iterable[NamedBox], least: float) -> dict[str, Counts]:
    """The counts of each label in one photograph. The best detection takes the thing that it overlaps most.

    Args:
        photo: the photograph.
        boxes: what was detected in it, as shares of the picture.
        least: score from which on a detection counts.
    """
    free = list(range(len(photo.labels)))
    found: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for item in sorted(boxes, key=lambda item: -item.score):
        if item.score < least:
            continue
        own = [row for row in free if photo.labels[row] == item.label]
        overlap = overlaps(item.box, photo.boxes[own]) if own else np.zeros(0)
        if overlap.max(initial=0.0) >= IOU:
            free.remove(own[int(overlap.argmax())])
            found[item.label] += 1
        else:
            wrong[item.label] += 1
    missed = Counter(photo.labels[row] for row in free)
    return {name: Counts(found[name], missed[name], wrong[name]) for name in {*found, *wrong, *missed}}


def measure_photos(
    folder: Path, spec: str, on_done: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """Counts by score and by label, time for a picture and peak memory, in types that JSON can hold.

    Labels that the detector cannot look for count as missed. Times are of the processor and of the clock, in s, with
    OpenCV on one thread; the first picture is left out of the medians.

    Raises:
        ConfigError: the folder is no set, or the detector needs depth.
        PerceptionError: the model cannot be loaded, or failed.
    """
    labels, photos = photos_in(folder)
    cv2.setNumThreads(1)
    detector = make_detector(PerceptionConfig(detector=spec, model_min_score=min(LEAST_SCORES)))
    if not isinstance(detector, PictureDetector):
        raise ConfigError(f'{spec} places things by depth, which photographs have not', file=str(folder))
    asked = tuple(label for label in labels if label not in detector.refused(labels))
    counts: dict[float, Counter[tuple[str, str]]] = {least: Counter() for least in LEAST_SCORES}
    wall, busy = [], []
    for number, photo in enumerate(photos):
        rgb = photo.rgb()
        began = time.perf_counter(), time.process_time()
        seen = detector.boxes_in(rgb, asked)
        wall.append(time.perf_counter() - began[0])
        busy.append(time.process_time() - began[1])
        size = np.array([rgb.shape[1], rgb.shape[0]] * 2, np.float64)
        boxes = [replace(item, box=item.box / size) for item in seen if not item.is_container]
        for least, total in counts.items():
            for label, one in score_photo(photo, boxes, least).items():
                total.update({(label, name): value for name, value in asdict(one).items()})
        on_done(number + 1, len(photos))
    later = slice(min(1, len(photos) - 1), None)
    return {
        'detector': spec,
        'photos': len(photos),
        'not_looked_for': [label for label in labels if label not in asked],
        'by_score': {str(least): _sum(total, labels).as_json() for least, total in counts.items()},
        'by_label': {label: _sum(counts[LEAST_SCORES[0]], (label,)).as_json() for label in labels},
        'processor_s': round(float(np.median(busy[later])), 4),
        'clock_s': round(float(np.median(wall[later])), 4),
        'peak_memory_mb': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _sum(total: Mapping[tuple[str, str], int], labels: Iterable[str]) -> Counts:
    names = tuple(labels)
    return Counts(*(sum(total.get((label, name), 0) for label in names) for name in ('found', 'missed', 'wrong')))


def photo_table(measured: Mapping[str, Any]) -> str:
    """The measurement as Markdown."""
    lines = [
        f'Detector `{measured["detector"]}`, {measured["photos"]} photographs.',
        '',
        '| | found | missed | wrong | precision | recall |',
        '| --- | --- | --- | --- | --- | --- |',
    ]
    rows = [(f'all, score {least} or more', item) for least, item in measured['by_score'].items()]
    rows += list(measured['by_label'].items())
    for name, item in rows:
        shares = [_share(item, key) for key in ('precision', 'recall')]
        lines.append(f'| {name} | {item["found"]} | {item["missed"]} | {item["wrong"]} | {" | ".join(shares)} |')
    lines += [
        '',
        f'{measured["processor_s"]} s of the processor for a picture, {measured["clock_s"]} s by the clock (medians); '
        f'peak memory {measured["peak_memory_mb"]} MB.',
    ]
    if measured['not_looked_for']:
        lines += ['', f'Not looked for: {", ".join(measured["not_looked_for"])}.']
    return '\n'.join(lines) + '\n'


def _share(item: Mapping[str, Any], key: str) -> str:
    if item[key] is None:
        return ''
    low, high = item[f'{key}_interval']
    return f'{item[key]:.3f} ({low:.3f} to {high:.3f})'
