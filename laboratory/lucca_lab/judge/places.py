"""Where objects lie in a trace: in a container, on the tower, in a region, on the table or off it."""

from collections.abc import Mapping, Sequence

import numpy as np

from lucca_lab.judge.traces import SimulationTrace
from lucca_sim.scene import Scene

OFF = 'off the table'


def final_places(trace: SimulationTrace, scene: Scene) -> dict[str, str]:
    """Where each object lies at the end: the name of a container, bowl or region, "table", or "off the table"."""
    return places_at(trace, scene, -1)


def places_at(trace: SimulationTrace, scene: Scene, row: int) -> dict[str, str]:
    """Where each object lies at one sample; for names see `final_places`."""
    positions = {name: trace.object_positions_m[row, column] for column, name in enumerate(trace.object_names)}
    places = _in_bowls(
        {name: _place_of(position, name, scene) for name, position in positions.items()}, positions, scene
    )
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


def _in_bowls(places: Mapping[str, str], positions: Mapping[str, np.ndarray], scene: Scene) -> dict[str, str]:
    """The places, corrected for objects that lie in a bowl which itself stands on the table."""
    found = dict(places)
    for bowl in scene.objects:
        if bowl.shape != 'bowl' or places[bowl.name] != 'table':
            continue
        x, y, z = (float(value) for value in positions[bowl.name])
        rim = z + bowl.size_m[2] / 2
        for item in scene.objects:
            ix, iy, iz = (float(value) for value in positions[item.name])
            inside = np.hypot(ix - x, iy - y) < bowl.size_m[0] / 2 and iz - item.size_m[2] / 2 < rim
            if item.name != bowl.name and places[item.name] == 'table' and inside:
                found[item.name] = bowl.name
    return found


def claim_faults(trace: SimulationTrace, scene: Scene, claimed: Mapping[str, Sequence[str]]) -> list[str]:
    """Differences between the stack's claims about containers and the physics, one sentence each; empty if none."""
    places = final_places(trace, scene)
    faults = []
    for place in sorted(set(claimed) | set(places.values())):
        here = {name for name, where in places.items() if where == place}
        if place in claimed and here != set(claimed[place]):
            faults.append(f'{place} holds {sorted(here)}, not {sorted(claimed[place])}')
    return faults


def moved_m(trace: SimulationTrace) -> dict[str, float]:
    """How far each object lies at the end from where it was after it had settled (m)."""
    # The first second is left out: objects are placed slightly above the table and settle.
    start = int(np.searchsorted(trace.time_s, trace.time_s[0] + min(1.0, 0.5 * (trace.time_s[-1] - trace.time_s[0]))))
    distances = np.linalg.norm(trace.object_positions_m[-1] - trace.object_positions_m[start], axis=1)
    return dict(zip(trace.object_names, map(float, distances), strict=True))
