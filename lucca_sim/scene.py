"""Scenes: the table with its objects, containers and regions, loaded from `config/scenes/`."""

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.yaml_file import LocatedMapping, load_yaml
from lucca_sim.random_placement import place_objects, standing
from lucca_sim.scene_elements import Placement, Rectangle, Region, SceneContainer, SceneObject, TableTop
from lucca_sim.shapes import CONTAINER_SHAPES, OBJECT_SHAPES

LIGHTEST_KG, HEAVIEST_KG = 0.001, 5.0
"""Physics of lighter objects is not stable; an arm on a table lifts no heavier ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A table with everything on it. Equal scenes build equal worlds.

    `library` has every object that `with_objects` can choose from, without a place.
    """

    name: str
    seed: int
    table: TableTop
    objects: tuple[SceneObject, ...]
    containers: tuple[SceneContainer, ...]
    regions: tuple[Region, ...]
    placement: Placement
    library: tuple[SceneObject, ...] = dataclasses.field(default=(), repr=False)

    def with_objects(self, names: Sequence[str]) -> 'Scene':
        """Returns the same table with other objects from the library, placed with the same seed.

        A name given twice makes two objects, the second called `NAME 2`. A container with the name of a chosen object
        is left out, because names must be unique.

        Raises:
            ValueError: a name is not in the library, or the objects do not fit.
        """
        offered = {item.name: item for item in self.library}
        chosen: list[SceneObject] = []
        for index, name in enumerate(names):
            if name not in offered:
                raise ValueError(f'no object {name!r} in the library; it has {", ".join(sorted(offered))}')
            count = list(names[:index]).count(name)
            chosen.append(dataclasses.replace(offered[name], name=f'{name} {count + 1}' if count else name))
        taken = {item.name for item in chosen}
        containers = tuple(item for item in self.containers if item.name not in taken)
        objects = place_objects(chosen, containers, self.table, self.placement, self.seed)
        return dataclasses.replace(self, objects=objects, containers=containers)

    @property
    def object_names(self) -> tuple[str, ...]:
        """Names in the order of the file."""
        return tuple(item.name for item in self.objects)

    def object_named(self, name: str) -> SceneObject | None:
        """The object of this name, or None."""
        return next((item for item in self.objects if item.name == name), None)

    def container_named(self, name: str) -> SceneContainer | None:
        """The container of this name, or None."""
        return next((item for item in self.containers if item.name == name), None)


def scene_names() -> tuple[str, ...]:
    """The names of all scenes in `config/scenes/`, sorted."""
    return tuple(sorted(path.stem for path in (config_dir() / 'scenes').glob('*.yaml')))


def load_scene(name_or_path: str | Path, seed: int = 0) -> Scene:
    """Loads a scene by its name in `config/scenes/` or from a path, and places its objects at random.

    Objects with a place in the file (`{NAME: [x, y, yaw]}`) stay there. Equal arguments give equal scenes.

    Raises:
        ConfigError: the file is missing or invalid.
    """
    path = Path(name_or_path)
    if path.suffix != '.yaml':
        path = config_dir() / 'scenes' / f'{name_or_path}.yaml'
        if not path.exists():
            raise ConfigError(f'no scene {str(name_or_path)!r}; there are {", ".join(scene_names())}', file=str(path))
    document = _Section(load_yaml(path), str(path), 'scene')
    document.refuse_unknown({'library', 'objects', 'containers', 'regions', 'placement', 'table'})
    library_path = path.parent / document.text('library')
    library = _Section(load_yaml(library_path), str(library_path), 'library')
    library.refuse_unknown({'objects', 'containers', 'regions', 'placement', 'table'})

    offered = {name: _read_object(name, item) for name, item in library.section('objects').sections()}
    kinds = {name: _read_container(name, item) for name, item in library.section('containers').sections()}
    table = _read_table((document if 'table' in document.values else library).section('table'))
    regions = tuple(
        Region(name=name, area=_read_rectangle(item))
        for name, item in (document if 'regions' in document.values else library).section('regions').sections()
    )
    placement = _read_placement((document if 'placement' in document.values else library).section('placement'))
    containers = tuple(
        _place_container(document.section('containers'), name, kinds, table) for name in _names(document)
    )
    _refuse_overlapping(document.section('containers'), containers)
    free, fixed = _chosen_objects(document, offered, table, containers)
    try:
        placed = {item.name: item for item in place_objects(free, containers, table, placement, seed, fixed)}
    except ValueError as error:
        raise document.error(str(error), 'objects') from error
    placed.update({item.name: item for item in fixed})
    order = [item if isinstance(item, str) else next(iter(item)) for item in document.values['objects']]
    return Scene(
        name=path.stem,
        seed=seed,
        table=table,
        objects=tuple(placed[name] for name in order),
        containers=containers,
        regions=regions,
        placement=placement,
        library=tuple(offered.values()),
    )


def _names(document: '_Section') -> list[str]:
    return list(document.section('containers').values)


def _chosen_objects(
    document: '_Section',
    offered: Mapping[str, SceneObject],
    table: TableTop,
    containers: Sequence[SceneContainer],
) -> tuple[list[SceneObject], list[SceneObject]]:
    """The scene's objects: those to place at random, and those with a place in the file."""
    free: list[SceneObject] = []
    fixed: list[SceneObject] = []
    for entry in document.list_of('objects'):
        if isinstance(entry, LocatedMapping) and len(entry) == 1:
            place = _Section(entry, document.file, 'object')
            name = next(iter(entry))
            x, y, yaw = place.numbers(name, 3)
        else:
            name, place = entry, None
        if not isinstance(name, str) or name not in offered:
            raise document.error(f'no object {name!r} in the library; it has {", ".join(sorted(offered))}', 'objects')
        if name in {item.name for item in (*free, *fixed)}:
            raise document.error(f'object {name!r} is named twice', 'objects')
        if place is None:
            free.append(offered[name])
        elif not table.contains(x, y):
            raise place.error(f'{name!r} at ({x:g}, {y:g}) is not on the table', name)
        else:
            fixed.append(standing(offered[name], x, y, yaw, table))
            if what := _stands_inside(fixed[-1], fixed[:-1], containers):
                raise place.error(f'{name!r} at ({x:g}, {y:g}) stands inside {what!r}', name)
    return free, fixed


def _stands_inside(item: SceneObject, others: Sequence[SceneObject], containers: Sequence[SceneContainer]) -> str:
    """The name of what is where this object should stand; empty if the place is free."""
    x, y, _ = item.pose.position_m
    for other in others:
        if math.dist(other.pose.position_m[:2], (x, y)) < item.core_radius_m + other.core_radius_m:
            return other.name
    inside = (held for held in containers if held.outline.distance_m(x, y) < item.core_radius_m)
    return next((held.name for held in inside), '')


def _refuse_overlapping(section: '_Section', containers: Sequence[SceneContainer]) -> None:
    for first, second in itertools.combinations(containers, 2):
        if first.overlaps(second):
            x, y, _ = second.position_world_m
            raise section.error(f'{second.name!r} at ({x:g}, {y:g}) overlaps {first.name!r}', second.name)


def _place_container(
    section: '_Section', name: str, kinds: Mapping[str, SceneContainer], table: TableTop
) -> SceneContainer:
    if name not in kinds:
        raise section.error(f'no container {name!r} in the library; it has {", ".join(sorted(kinds))}', name)
    x, y = section.numbers(name, 2)
    placed = dataclasses.replace(kinds[name], position_world_m=(x, y, table.height_m))
    outline = placed.outline
    if not (table.contains(outline.x_m[0], outline.y_m[0]) and table.contains(outline.x_m[1], outline.y_m[1])):
        raise section.error(f'{name!r} at ({x:g}, {y:g}) reaches over the edge of the table', name)
    return placed


def _read_object(name: str, item: '_Section') -> SceneObject:
    item.refuse_unknown({'label', 'colour', 'shape', 'size_m', 'rgb', 'mass_kg'})
    mass = item.number('mass_kg')
    if not LIGHTEST_KG <= mass <= HEAVIEST_KG:
        raise item.error(f'mass_kg must be from {LIGHTEST_KG:g} to {HEAVIEST_KG:g}, got {mass:g}', 'mass_kg')
    return SceneObject(
        name=name,
        label=item.text('label'),
        colour=item.text('colour'),
        shape=item.one_of('shape', OBJECT_SHAPES),
        size_m=item.size(),
        rgb=item.rgb(),
        mass_kg=mass,
    )


def _read_container(name: str, item: '_Section') -> SceneContainer:
    item.refuse_unknown({'shape', 'size_m', 'wall_m', 'rgb'})
    wall = item.number('wall_m')
    if not 0 < wall <= 0.05:
        raise item.error(f'wall_m must be above 0 and at most 0.05, got {wall:g}', 'wall_m')
    return SceneContainer(
        name=name, shape=item.one_of('shape', CONTAINER_SHAPES), size_m=item.size(), wall_m=wall, rgb=item.rgb()
    )


def _read_table(item: '_Section') -> TableTop:
    item.refuse_unknown({'x_m', 'y_m', 'height_m', 'rgb'})
    area = _read_rectangle(item)
    return TableTop(x_m=area.x_m, y_m=area.y_m, height_m=item.number('height_m'), rgb=item.rgb())


def _read_placement(item: '_Section') -> Placement:
    item.refuse_unknown({'areas', 'spacing_m', 'clearance_m'})
    areas = [_read_rectangle(_Section(area, item.file, 'area')) for area in item.list_of('areas')]
    if not areas:
        raise item.error('areas must name at least one area', 'areas')
    return Placement(areas=tuple(areas), spacing_m=item.number('spacing_m'), clearance_m=item.number('clearance_m'))


def _read_rectangle(item: '_Section') -> Rectangle:
    x_low, x_high = item.numbers('x_m', 2)
    y_low, y_high = item.numbers('y_m', 2)
    if x_low >= x_high or y_low >= y_high:
        raise item.error('x_m and y_m must be [low, high] with low below high', 'x_m')
    return Rectangle(x_m=(x_low, x_high), y_m=(y_low, y_high))


class _Section:
    """A mapping in a scene file; its getters raise ConfigError, with the line, for missing or invalid values."""

    def __init__(self, values: Any, file: str, what: str) -> None:
        if not isinstance(values, LocatedMapping):
            raise ConfigError(f'{what} must be a mapping, got {values!r}', file=file)
        self.values = values
        self.file = file
        self.what = what

    def error(self, reason: str, key: str = '') -> ConfigError:
        return ConfigError(f'{self.what}: {reason}', file=self.file, line=self.values.line_of(key))

    def refuse_unknown(self, known: set[str]) -> None:
        for key in self.values:
            if key not in known:
                raise self.error(f'unknown entry {key!r}; there are {", ".join(sorted(known))}', key)

    def get(self, key: str) -> Any:
        if key not in self.values:
            raise self.error(f'{key!r} is missing')
        return self.values[key]

    def section(self, key: str) -> '_Section':
        value = self.get(key)
        if not isinstance(value, LocatedMapping):
            raise self.error(f'{key!r} must be a mapping, got {value!r}', key)
        return _Section(value, self.file, key)

    def sections(self) -> list[tuple[str, '_Section']]:
        return [(key, self.section(key)) for key in self.values]

    def list_of(self, key: str) -> list[Any]:
        value = self.get(key)
        if not isinstance(value, list):
            raise self.error(f'{key!r} must be a list, got {value!r}', key)
        return value

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str) or not value:
            raise self.error(f'{key!r} must be text, got {value!r}', key)
        return value

    def one_of(self, key: str, choices: Sequence[str]) -> str:
        value = self.text(key)
        if value not in choices:
            raise self.error(f'{key!r} must be one of {", ".join(choices)}, got {value!r}', key)
        return value

    def number(self, key: str) -> float:
        return self._number(self.get(key), key)

    def numbers(self, key: str, count: int) -> list[float]:
        value = self.get(key)
        if not isinstance(value, list) or len(value) != count:
            raise self.error(f'{key!r} must be a list of {count} numbers, got {value!r}', key)
        return [self._number(item, key) for item in value]

    def size(self) -> tuple[float, float, float]:
        x, y, z = self.numbers('size_m', 3)
        if not all(0 < extent <= 1 for extent in (x, y, z)):
            raise self.error(f'size_m must be above 0 and at most 1 along each axis, got {[x, y, z]}', 'size_m')
        return x, y, z

    def rgb(self) -> tuple[float, float, float]:
        red, green, blue = self.numbers('rgb', 3)
        if not all(0 <= part <= 1 for part in (red, green, blue)):
            raise self.error(f'rgb must be three numbers from 0 to 1, got {[red, green, blue]}', 'rgb')
        return red, green, blue

    def _number(self, value: Any, key: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.error(f'{key!r} must be a number, got {value!r}', key)
        return float(value)
