"""The simulator's trace of a run, and its reading from a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lucca_core.archived_weights import DAMAGED_ARCHIVE
from lucca_core.errors import LuccaError

Floats = npt.NDArray[np.float64]

PHYSICS = 'physics'
"""The engine with dynamics and contacts."""

CONTACTS_SINCE = 2
"""The first format with contacts and hands."""


@dataclass(frozen=True)
class ContactTrack:
    """The recorded contacts, one entry (m) for each pair of bodies and sample; see docs/trace.md."""

    body_names: tuple[str, ...]
    rows: npt.NDArray[np.int32]
    bodies: npt.NDArray[np.int16]
    normals: Floats
    depths_m: Floats
    forces_n: Floats


@dataclass(frozen=True)
class SimulationTrace:
    """All states of objects and joints in a run: n samples at 50 Hz of simulated time.

    time_s (n,); object_positions_m (n, k, 3) and object_orientations_wxyz (n, k, 4), world; object_velocities (n, k,
    6): linear in m/s, then angular in rad/s about the object's own axes; joint_positions_rad (n, j; m for sliding
    joints); held_by (n, k): the hand to which an object is welded, or ''; hand_asked and hand_measured (n, h), one
    column for each of `hand_names`: 0 open to 1 closed; contacts: None if the engine has none; engine: `physics` or
    `kinematic`; format: version of the layout, 1 before contacts and hands were recorded; container_positions_m and
    container_sizes_m: (3,) of each container by name; region_bounds_m: (4,) of each region by name (x low, x high, y
    low, y high). These three, object_labels, scene and seed are empty or None if they were not recorded.
    """

    time_s: Floats
    object_names: tuple[str, ...]
    object_positions_m: Floats
    object_orientations_wxyz: Floats
    object_velocities: Floats
    joint_names: tuple[str, ...]
    joint_positions_rad: Floats
    held_by: npt.NDArray[np.str_]
    hand_names: tuple[str, ...] = ()
    hand_asked: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    hand_measured: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    contacts: ContactTrack | None = None
    engine: str = PHYSICS
    robot: str = 'nicol'
    format: int = 2
    container_positions_m: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    container_sizes_m: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    region_bounds_m: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    object_labels: tuple[str, ...] = ()
    scene: str = ''
    seed: int | None = None

    @property
    def object_speeds_mps(self) -> Floats:
        """Recorded linear speed of each object (n, k)."""
        return np.asarray(np.linalg.norm(self.object_velocities[:, :, :3], axis=2))

    @property
    def attached(self) -> npt.NDArray[np.bool_]:
        """(n, k), true while an object is welded to a hand."""
        return np.asarray(self.held_by != '')

    @property
    def has_physics(self) -> bool:
        """Whether the physics can be judged: dynamics were simulated, and contacts and hands were recorded."""
        return self.engine == PHYSICS and self.format >= CONTACTS_SINCE and self.contacts is not None

    def index_of(self, name: str) -> int:
        """The column of an object."""
        return self.object_names.index(name)


def load_trace(file: Path) -> SimulationTrace:
    """Reads the trace of one table from its `trace.npz`.

    Raises:
        LuccaError: the file is missing, cannot be read, or its contents are not those of a trace.
    """
    try:
        with np.load(file, allow_pickle=False) as data:
            trace_format = int(data['format']) if 'format' in data.files else 1
            newer = _of_format_2(data) if trace_format >= CONTACTS_SINCE else {}
            trace = SimulationTrace(
                time_s=_numbers(data, 'time_s', 1),
                object_names=_texts(data, 'object_names'),
                object_positions_m=_numbers(data, 'object_positions_m', 3),
                object_orientations_wxyz=_numbers(data, 'object_orientations_wxyz', 3),
                object_velocities=_numbers(data, 'object_velocities', 3),
                joint_names=_texts(data, 'joint_names'),
                joint_positions_rad=_numbers(data, 'joint_positions', 2),
                held_by=_array(data, 'object_held_by', 'U', 2),
                engine=str(data['engine']),
                format=trace_format,
                container_positions_m=_by_name(data, 'container_names', 'container_positions_m'),
                container_sizes_m=_by_name(data, 'container_names', 'container_sizes_m'),
                region_bounds_m=_by_name(data, 'region_names', 'region_bounds_m'),
                object_labels=_texts(data, 'object_labels') if 'object_labels' in data.files else (),
                scene=str(data['scene']) if 'scene' in data.files else '',
                seed=int(data['seed']) if 'seed' in data.files else None,
                **newer,
            )
    except DAMAGED_ARCHIVE as error:
        raise LuccaError(f'{file} is no trace: {error}') from error
    _check_shapes(trace, file)
    _check_contacts(trace, file)
    return trace


def _of_format_2(data: Mapping[str, Any]) -> dict[str, Any]:
    contacts = ContactTrack(
        body_names=_texts(data, 'body_names'),
        rows=_array(data, 'contact_rows', 'iu', 1),
        bodies=_array(data, 'contact_bodies', 'iu', 2),
        normals=_numbers(data, 'contact_normals', 2),
        depths_m=_numbers(data, 'contact_depths_m', 1),
        forces_n=_numbers(data, 'contact_forces_n', 1),
    )
    return {
        'hand_names': _texts(data, 'hand_names'),
        'hand_asked': _numbers(data, 'hand_asked', 2),
        'hand_measured': _numbers(data, 'hand_measured', 2),
        'contacts': contacts if bool(data['has_contacts']) else None,
        'robot': str(data['robot']),
    }


def _by_name(data: Mapping[str, Any], names: str, values: str) -> dict[str, tuple[float, ...]]:
    if names not in data or values not in data:
        return {}
    return {
        name: tuple(value) for name, value in zip(_texts(data, names), _numbers(data, values, 2).tolist(), strict=True)
    }


def _array(data: Mapping[str, Any], name: str, kinds: str, dimensions: int) -> Any:
    """An array of the file.

    Raises:
        ValueError: its type is none of `kinds` (numpy's letters), or it has another number of dimensions.
    """
    array = data[name]
    if array.dtype.kind not in kinds or array.ndim != dimensions:
        raise ValueError(f'{name} is an array of {array.dtype} with the shape {array.shape}')
    return array


def _numbers(data: Mapping[str, Any], name: str, dimensions: int) -> Any:
    return _array(data, name, 'fiu', dimensions)


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(map(str, _array(data, name, 'U', 1)))


def _check_contacts(trace: SimulationTrace, file: Path) -> None:
    track = trace.contacts
    if track is None:
        return
    count = len(track.rows)
    shapes = {
        'contact_bodies': (track.bodies.shape, (count, 2)),
        'contact_normals': (track.normals.shape, (count, 3)),
        'contact_depths_m': (track.depths_m.shape, (count,)),
        'contact_forces_n': (track.forces_n.shape, (count,)),
    }
    for name, (shape, wanted) in shapes.items():
        if shape != wanted:
            raise LuccaError(f'{file} is no trace: {name} has the shape {shape}, and should have {wanted}')
    for name, values, end in (
        ('contact_rows', track.rows, len(trace.time_s)),
        ('contact_bodies', track.bodies, len(track.body_names)),
    ):
        if count and not (int(values.min()) >= 0 and int(values.max()) < end):
            raise LuccaError(
                f'{file} is no trace: {name} has {values.min()} to {values.max()}, and should be below {end}'
            )


def _check_shapes(trace: SimulationTrace, file: Path) -> None:
    rows, count = len(trace.time_s), len(trace.object_names)
    wanted = {
        'object_positions_m': (trace.object_positions_m, (rows, count, 3)),
        'object_orientations_wxyz': (trace.object_orientations_wxyz, (rows, count, 4)),
        'object_velocities': (trace.object_velocities, (rows, count, 6)),
        'joint_positions': (trace.joint_positions_rad, (rows, len(trace.joint_names))),
        'object_held_by': (trace.held_by, (rows, count)),
    }
    if trace.object_labels:
        wanted['object_labels'] = (np.array(trace.object_labels), (count,))
    if trace.format >= CONTACTS_SINCE:
        wanted['hand_asked'] = (trace.hand_asked, (rows, len(trace.hand_names)))
        wanted['hand_measured'] = (trace.hand_measured, (rows, len(trace.hand_names)))
    for name, (array, shape) in wanted.items():
        if array.shape != shape:
            raise LuccaError(f'{file} is no trace: {name} has the shape {array.shape}, and should have {shape}')
