"""Prototypes of objects, containers and colours, read from `config/objects.yaml`."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.yaml_file import LocatedMapping, load_yaml

Range = tuple[float, float]
FEATURES = ('height_m', 'length_m', 'width_m', 'flat', 'fill', 'hollow')
CONTAINER_KINDS = ('open', 'pad')
_LONGEST_M = 2.0
_FULL_TURN_DEG = 360.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ColourRange:
    """One named colour: hue in degrees (wraps around if low > high), saturation and value from 0 to 1."""

    name: str
    hue: Range
    saturation: Range
    value: Range
    shade_of: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPrototype:
    """How objects of one label look from above. `ranges` holds features of `FEATURES`."""

    label: str
    phrases: tuple[str, ...]
    colours: tuple[str, ...]
    ranges: dict[str, Range]
    name_with_colour: bool = False
    holds: bool = False
    """While it stands on the table, it is also a container."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerPrototype:
    """How one container looks. `kind` is `open` (things lie inside) or `pad` (things are stacked on it)."""

    name: str
    phrases: tuple[str, ...]
    kind: str
    colours: tuple[str, ...]
    ranges: dict[str, Range]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrototypeLexicon:
    """Everything that perception can recognise without a model."""

    colours: tuple[ColourRange, ...]
    objects: tuple[ObjectPrototype, ...]
    containers: tuple[ContainerPrototype, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of objects, in the order of the file."""
        return tuple(item.label for item in self.objects)

    def object_of(self, label: str) -> ObjectPrototype | None:
        """The prototype of a label, or None."""
        return next((item for item in self.objects if item.label == label), None)

    def holds(self, label: str) -> bool:
        """Whether an object of this label is also a container while it stands on the table."""
        prototype = self.object_of(label)
        return prototype is not None and prototype.holds

    def usual_length_m(self, label: str) -> float:
        """The middle of the lengths that objects of this label have; 0 for a label without a range."""
        prototype = self.object_of(label)
        low, high = prototype.ranges.get('length_m', (0.0, 0.0)) if prototype is not None else (0.0, 0.0)
        return (low + high) / 2

    def container_of(self, name: str) -> ContainerPrototype | None:
        """The prototype of a container, or None."""
        return next((item for item in self.containers if item.name == name), None)

    def base_name(self, label: str, colour: str) -> str:
        """The name of an object with this label and colour: `pear`, but `red cube`."""
        prototype = self.object_of(label)
        return f'{colour} {label}' if prototype is not None and prototype.name_with_colour and colour else label


def load_lexicon(name_or_path: str | Path = 'objects.yaml') -> PrototypeLexicon:
    """The lexicon in a file, given by a path or a name in `config/`.

    Raises:
        ConfigError: the file is missing or wrong; the message names file, line and reason.
    """
    path = Path(name_or_path)
    if not path.is_absolute() and not path.exists():
        path = config_dir() / path
    return _lexicon(load_yaml(path), str(path))


def _lexicon(document: LocatedMapping, file: str) -> PrototypeLexicon:
    _only(document, ('colours', 'objects', 'containers'), file)
    colours = tuple(_colour(name, item, file) for name, item in _section(document, 'colours', file))
    known = {item.name for item in colours}
    for item in colours:
        if item.shade_of and item.shade_of not in known:
            raise ConfigError(
                f'{item.name} is a shade of {item.shade_of!r}, which is not a colour of this file', file=file
            )
    objects = tuple(_object(name, item, known, file) for name, item in _section(document, 'objects', file))
    containers = tuple(_container(name, item, known, file) for name, item in _section(document, 'containers', file))
    return PrototypeLexicon(colours=colours, objects=objects, containers=containers)


def _section(document: LocatedMapping, key: str, file: str) -> list[tuple[str, LocatedMapping]]:
    section = document.get(key)
    if not isinstance(section, LocatedMapping) or not section:
        raise ConfigError(f'needs a mapping {key!r} with at least one entry', file=file, line=document.line_of(key))
    for name, item in section.items():
        if not isinstance(item, LocatedMapping):
            raise ConfigError(f'{name} must be a mapping, got {item!r}', file=file, line=section.line_of(name))
        if not name.strip() or name != name.strip() or not name.isprintable():
            reason = f'a name is printable text without spaces around it, got {name!r}'
            raise ConfigError(reason, file=file, line=section.line_of(name))
    return list(section.items())


def _only(mapping: LocatedMapping, allowed: tuple[str, ...], file: str) -> None:
    for key in mapping:
        if key not in allowed:
            raise ConfigError(
                f'unknown key {key!r}; known are {", ".join(allowed)}', file=file, line=mapping.line_of(key)
            )


def _range(mapping: LocatedMapping, key: str, file: str) -> Range:
    value = mapping.get(key)
    numbers = (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(item, int | float) and not isinstance(item, bool) and isfinite(item) for item in value)
    )
    # Only hues may wrap around.
    if not numbers or (key != 'hue' and value[0] > value[1]):  # type: ignore[index]
        raise ConfigError(f'{key} must be two increasing numbers, got {value!r}', file=file, line=mapping.line_of(key))
    low, high = float(value[0]), float(value[1])  # type: ignore[index]
    most, unit = (
        (_LONGEST_M, ' m') if key.endswith('_m') else (_FULL_TURN_DEG, ' degrees') if key == 'hue' else (1.0, '')
    )
    if not (0 <= low <= most and 0 <= high <= most):
        raise ConfigError(
            f'{key} must be from 0 to {most:g}{unit}, got {value!r}', file=file, line=mapping.line_of(key)
        )
    return low, high


def _flag(mapping: LocatedMapping, key: str, file: str) -> bool:
    value = mapping.get(key, False)
    if not isinstance(value, bool):
        raise ConfigError(f'{key} must be true or false, got {value!r}', file=file, line=mapping.line_of(key))
    return value


def _words(mapping: LocatedMapping, key: str, file: str) -> tuple[str, ...]:
    value = mapping.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(item, str) and item for item in value):
        raise ConfigError(f'{key} must be a list of words, got {value!r}', file=file, line=mapping.line_of(key))
    return tuple(value)


def _known_colours(mapping: LocatedMapping, known: set[str], file: str) -> tuple[str, ...]:
    colours = _words(mapping, 'colours', file)
    for colour in colours:
        if colour not in known:
            raise ConfigError(
                f'{colour!r} is not a colour of this file; it has {", ".join(sorted(known))}',
                file=file,
                line=mapping.line_of('colours'),
            )
    return colours


def _colour(name: str, item: LocatedMapping, file: str) -> ColourRange:
    _only(item, ('hue', 'saturation', 'value', 'shade_of'), file)
    return ColourRange(
        name=name,
        hue=_range(item, 'hue', file),
        saturation=_range(item, 'saturation', file),
        value=_range(item, 'value', file),
        shade_of=str(item.get('shade_of', '')),
    )


def _ranges(item: LocatedMapping, file: str) -> dict[str, Range]:
    return {key: _range(item, key, file) for key in FEATURES if key in item}


def _object(label: str, item: LocatedMapping, known: set[str], file: str) -> ObjectPrototype:
    _only(item, ('phrases', 'colours', 'name_with_colour', 'holds', *FEATURES), file)
    for key in ('height_m', 'length_m', 'width_m'):
        _range(item, key, file)
    return ObjectPrototype(
        label=label,
        phrases=_words(item, 'phrases', file),
        colours=_known_colours(item, known, file),
        ranges=_ranges(item, file),
        name_with_colour=_flag(item, 'name_with_colour', file),
        holds=_flag(item, 'holds', file),
    )


def _container(name: str, item: LocatedMapping, known: set[str], file: str) -> ContainerPrototype:
    _only(item, ('phrases', 'kind', 'colours', *FEATURES), file)
    if item.get('kind') not in CONTAINER_KINDS:
        raise ConfigError(
            f'kind must be one of {", ".join(CONTAINER_KINDS)}, got {item.get("kind")!r}',
            file=file,
            line=item.line_of('kind'),
        )
    for key in ('height_m', 'length_m', 'width_m'):
        _range(item, key, file)
    return ContainerPrototype(
        name=name,
        phrases=_words(item, 'phrases', file),
        kind=item['kind'],
        colours=_known_colours(item, known, file),
        ranges=_ranges(item, file),
    )
