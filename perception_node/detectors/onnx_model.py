"""A detector in an ONNX file, run by onnxruntime: its file, its classes, and errors that say what is wrong."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import PerceptionError
from lucca_core.regular_file import read_regular
from perception_node.detector import Image
from perception_node.detectors.onnx_layouts import ClassBoxes, decoded, fitted, layout_of

NAMES = '.names'
"""Ending of the text with the names of a model's classes."""
SIZE = 640
"""Height and width of the input where neither the file nor its metadata fix them."""
_TYPES: dict[str, Any] = {
    'tensor(float)': np.float32,
    'tensor(float16)': np.float16,
    'tensor(int64)': np.int64,
    'tensor(int32)': np.int32,
}
UNUSED = '-'
"""In place of a name: this class is never reported."""
_MULTIPLE = 32


class OnnxModel:
    """A detector with classes of its own, exported to ONNX.

    The classes are the lines of a text beside it (`table.names` beside `table.onnx`, one class on each line), else
    the `names` in the model's metadata. A line that is only `-` stands for a class that is never reported.

    Args:
        file: the ONNX file.
        device: auto, cuda or cpu.

    Raises:
        PerceptionError: onnxruntime is missing, or the file is missing, damaged, no detector of a known layout, or
            without names of classes; the message names the file and the problem.
    """

    def __init__(self, file: str, *, device: str = 'auto') -> None:
        path = Path(file).expanduser()
        self.name = f'onnx:{file}'
        if not path.is_file():
            raise PerceptionError(f'{self.name} cannot be loaded: {path} is not a file')
        # Read before the model, which may take seconds.
        said = _names_beside(path)
        self._session = _session(self.name, path, device)
        about: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        self.names = said or _names_inside(about.get('names', ''))
        if not self.names:
            raise PerceptionError(
                f'{self.name} cannot be loaded: it does not say what its classes are; write them into '
                f'{path.with_suffix(NAMES).name} beside it, one on each line'
            )
        inputs = sorted(self._session.get_inputs(), key=lambda item: -len(item.shape))
        self._image, self._others = inputs[0], inputs[1:]
        self.size = _size(self._image.shape, about.get('imgsz', ''))
        outputs = {item.name: tuple(item.shape) for item in self._session.get_outputs()}
        self.layout = layout_of(outputs, len(self.names), self.size) or ''
        if not self.layout or not self._takes_one_picture():
            told = ', '.join(f'{name} {list(shape)}' for name, shape in outputs.items())
            raise PerceptionError(
                f'{self.name} is no detector that can be read: for {len(self.names)} classes, its input '
                f'{self._image.type} {list(self._image.shape)} and output {told} fit no known layout'
            )

    def _takes_one_picture(self) -> bool:
        """Whether the inputs are those of the layout: one picture, and its size for a `detr`."""
        shape = self._image.shape
        one = len(shape) == 4 and not (isinstance(shape[0], int) and shape[0] != 1) and shape[1] == 3
        known = all(item.type in _TYPES for item in (self._image, *self._others))
        return one and known and len(self._others) == (1 if self.layout == 'detr' else 0)

    def find(self, rgb: Image, least_score: float) -> ClassBoxes:
        """The boxes in an image (h, w, 3) that score at least `least_score`, before suppression.

        Raises:
            PerceptionError: the model failed on the image.
        """
        pixels, transform = fitted(rgb, self.size, self.layout)
        feed: dict[str, Any] = {self._image.name: pixels.astype(_TYPES[self._image.type], copy=False)}
        for item in self._others:
            feed[item.name] = np.array([[rgb.shape[1], rgb.shape[0]]], _TYPES[item.type])
        try:
            answer = self._session.run(None, feed)
        except Exception as error:
            raise PerceptionError(f'{self.name} failed: {type(error).__name__}: {error}') from error
        outputs = {item.name: value for item, value in zip(self._session.get_outputs(), answer, strict=True)}
        found = decoded(outputs, self.layout, self.size, transform, least_score)
        if len(found.classes) and not 0 <= found.classes.min() <= found.classes.max() < len(self.names):
            raise PerceptionError(f'{self.name} gives class {found.classes.max()}, but has {len(self.names)} names')
        return found


def _session(name: str, path: Path, device: str) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise PerceptionError(f'the detector onnx needs: pip install onnxruntime ({error})') from error
    there = onnxruntime.get_available_providers()
    if device == 'cuda' and 'CUDAExecutionProvider' not in there:
        raise PerceptionError(f'{name} cannot run on cuda: this needs pip install onnxruntime-gpu')
    providers = ['CPUExecutionProvider']
    if device != 'cpu' and 'CUDAExecutionProvider' in there:
        providers.insert(0, 'CUDAExecutionProvider')
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that spin while they wait would take the cores that planning needs.
    options.add_session_config_entry('session.intra_op.allow_spinning', '0')
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=providers)
    except Exception as error:
        raise PerceptionError(f'{name} cannot be loaded: {type(error).__name__}: {error}') from error


def _names_beside(path: Path) -> tuple[str, ...]:
    file = path.with_suffix(NAMES)
    try:
        lines = read_regular(file).decode().splitlines()
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise PerceptionError(f'{file} cannot be read: {error}') from error
    while lines and not lines[-1].strip():
        lines.pop()
    return _names([line.strip() for line in lines], str(file))


def _names_inside(text: str) -> tuple[str, ...]:
    """Names in the metadata of an export: a list or a mapping, written in Python."""
    try:
        return _names(ast.literal_eval(text), 'the metadata') if text else ()
    except (ValueError, SyntaxError) as error:
        raise PerceptionError(f'the metadata has names that cannot be read: {error}') from error


def _names(value: object, where: str) -> tuple[str, ...]:
    names: Any = value
    if isinstance(value, Mapping):
        names = [value.get(number) for number in range(len(value))]
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) and name for name in names):
        raise PerceptionError(f'the names in {where} must be a list of words, or a mapping from 0, 1, … to words')
    return tuple(names)


def _size(shape: list[Any], said: str) -> tuple[int, int]:
    """Height and width of the input; from the metadata if they are not fixed, else SIZE."""
    fixed = [item for item in shape[2:4] if isinstance(item, int)]
    if len(fixed) < 2:
        fixed = [int(word) for word in said.strip('[]() ').split(',') if word.strip().isdigit()]
    if len(fixed) == 2 and all(item >= _MULTIPLE and item % _MULTIPLE == 0 for item in fixed):
        return fixed[0], fixed[1]
    return (SIZE, SIZE)
