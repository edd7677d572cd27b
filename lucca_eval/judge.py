"""Judges a run from the physics alone: what lies where, whether anything jumped, and what was pointed at.

Nothing of the stack is asked: the input is the simulator's trace and the scene that was loaded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lucca_eval.pointing import pointed_objects
from lucca_eval.traces import Trace, load_trace
from lucca_eval.truth import load_truth
from lucca_sim.scene import Scene, load_scene

MAX_JUMP_M = 0.05
"""Farthest an object may be from one sample to the next, 20 ms later."""

REST_SPEED_MPS = 0.01
REST_S = 1.0
UNMOVED_M = 0.05
"""How far an object that no task names may have been nudged."""

OFF = 'off the table'


@dataclass(frozen=True)
class Judgement:
    """Whether a task came out right physically, and if not, why."""

    physical: bool
    faults: tuple[str, ...]


def judge_table(trace_file: Path, scene_name: str, seed: int, tasks: Sequence[str]) -> dict[str, Judgement]:
    """A judgement for each task done on one table. What holds for the whole table counts against each of its tasks."""
    trace, scene, truth = load_trace(trace_file), load_scene(scene_name, seed), load_truth()
    shared = law_faults(trace)
    places = final_places(trace, scene)
    wanted = {item: place for task in tasks for place, items in truth[task].places.items() for item in items}
    shared += [
        f'{name} was moved by {distance * 100:.1f} cm though no task names it'
        for name, distance in _moved(trace).items()
        if name not in wanted and distance > UNMOVED_M
    ]
    judgements = {}
    for task in tasks:
        faults = list(shared)
        for place, items in truth[task].places.items():
            faults += [
                f'{item} is in {places[item]}, not in {place}' for item in sorted(items) if places[item] != place
            ]
        if not truth[task].places:
            pointed = tuple(f'<point({name})>' for name in pointed_objects(trace))
            faults += _pointing_faults(pointed, truth[task].actions, in_order=truth[task].in_order(pointed))
        judgements[task] = Judgement(physical=not faults, faults=tuple(faults))
    return judgements


def claim_faults(trace: Trace, scene: Scene, claimed: Mapping[str, Sequence[str]]) -> list[str]:
    """Where what the stack claims to lie in each container differs from the physics; empty when all agrees."""
    places = final_places(trace, scene)
    faults = []
    for place in sorted(set(claimed) | set(places.values())):
        here = {name for name, where in places.items() if where == place}
        if place in claimed and here != set(claimed[place]):
            faults.append(f'{place} holds {sorted(here)}, not {sorted(claimed[place])}')
    return faults


def law_faults(trace: Trace) -> list[str]:
    """What no honest physics shows: jumps, motion at the end, objects still attached."""
    faults = []
    if len(trace.time_s) < 2:
        return ['the trace is empty']
    steps = np.linalg.norm(np.diff(trace.object_positions_m, axis=0), axis=2)
    for column, name in enumerate(trace.object_names):
        if steps[:, column].max() > MAX_JUMP_M:
            when = trace.time_s[int(steps[:, column].argmax())]
            faults.append(f'{name} jumped {steps[:, column].max() * 100:.1f} cm between two samples at {when:.2f} s')
        last = trace.object_speeds_mps[trace.time_s >= trace.time_s[-1] - REST_S, column]
        if last.max() >= REST_SPEED_MPS:
            faults.append(f'{name} still moved at {last.max() * 100:.1f} cm/s in the last second')
        if trace.attached[-1, column]:
            faults.append(f'{name} is still attached to a hand')
    return faults


def final_places(trace: Trace, scene: Scene) -> dict[str, str]:
    """Where each object lies at the end: a container's name, "user's side", "table", or off the table."""
    positions = {name: trace.object_positions_m[-1, column] for column, name in enumerate(trace.object_names)}
    places = {name: _place_of(position, name, scene) for name, position in positions.items()}
    tower = sorted((positions[name][2], name) for name, place in places.items() if place == 'tower')
    base = scene.container_named('tower')
    height = scene.table.height_m + (base.size_m[2] if base else 0.0)
    for z, name in tower:
        item = scene.object_named(name)
        assert item is not None
        if abs(z - item.size_m[2] / 2 - height) > 0.01:
            places[name] = 'the air near the tower'
        height = z + item.size_m[2] / 2
    return places


def _place_of(position: np.ndarray, name: str, scene: Scene) -> str:
    x, y, z = (float(value) for value in position)
    item = scene.object_named(name)
    assert item is not None
    above_table = z - item.size_m[2] / 2 - scene.table.height_m
    if not scene.table.contains(x, y) or above_table < -0.03:
        return OFF
    for container in scene.containers:
        cx, cy, _ = container.position_world_m
        sx, sy, top = container.size_m
        if container.shape == 'pad':
            inside = max(abs(x - cx), abs(y - cy)) < 0.03 and above_table > -0.005
        elif container.shape == 'bowl':
            inside = float(np.hypot(x - cx, y - cy)) < sx / 2 and above_table < top
        else:
            inside = abs(x - cx) < sx / 2 and abs(y - cy) < sy / 2 and above_table < top
        if inside:
            return container.name
    for region in scene.regions:
        if region.area.contains(x, y):
            return region.name
    return 'table'


def _moved(trace: Trace) -> dict[str, float]:
    # The first second is left out: objects are put down a hair above the table and settle.
    start = int(np.searchsorted(trace.time_s, trace.time_s[0] + min(1.0, 0.5 * (trace.time_s[-1] - trace.time_s[0]))))
    distances = np.linalg.norm(trace.object_positions_m[-1] - trace.object_positions_m[start], axis=1)
    return dict(zip(trace.object_names, map(float, distances), strict=True))


def _pointing_faults(pointed: tuple[str, ...], wanted: tuple[str, ...], *, in_order: bool) -> list[str]:
    faults = [f'{action} was not seen in the joint states' for action in wanted if action not in pointed]
    faults += [f'{action} was seen, but not asked for' for action in pointed if action not in wanted]
    if not in_order:
        faults.append(f'pointed in the wrong order: {", ".join(pointed)}')
    return faults
