"""Bounds of settings: every numeric setting of every package has two, and values outside are refused by name."""

import dataclasses
import importlib
import math
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError
from lucca_core.settings import Bounds, bounds_of, check_bounds, from_mapping, is_live, setting

ROOT = Path(__file__).resolve().parents[2]


def _settings_classes() -> list[type]:
    """Every dataclass of ours that declares a setting, found by its file."""
    found = []
    for file in sorted(ROOT.glob('*/**/*.py')):
        package = file.relative_to(ROOT).parts[0]
        if (
            package in ('test', 'scripts', 'launch')
            or package.startswith('.')
            or not (ROOT / package / '__init__.py').exists()
        ):
            continue
        if file.name != 'settings.py' and re.search(r'= setting\(', file.read_text(encoding='utf-8')):
            module = importlib.import_module('.'.join(file.relative_to(ROOT).with_suffix('').parts))
            found += [
                item
                for item in vars(module).values()
                if isinstance(item, type) and dataclasses.is_dataclass(item) and item.__module__ == module.__name__
                if any('doc' in field.metadata for field in dataclasses.fields(item))
            ]
    return found


CLASSES = _settings_classes()
NUMBERS = [
    (config_class, item)
    for config_class in CLASSES
    for item in dataclasses.fields(config_class)
    if bounds_of(item) is not None
]


def _with(item: Any, value: float) -> dict[str, Any]:
    """The setting with one number replaced; the others of a list as they are."""
    return {item.name: (value, *item.default[1:]) if isinstance(item.default, tuple) else value}


def test_the_settings_of_all_packages_are_found() -> None:
    names = {config_class.__name__ for config_class in CLASSES}
    assert {'ActionConfig', 'MotionConfig', 'PerceptionConfig', 'SimConfig', 'SpeechConfig', 'Persona'} <= names
    assert len(NUMBERS) > 150


@pytest.mark.parametrize(('config_class', 'item'), NUMBERS, ids=[f'{c.__name__}.{item.name}' for c, item in NUMBERS])
def test_a_number_outside_its_bounds_is_refused_by_name_with_what_is_right(config_class: type, item: Any) -> None:
    bounds = bounds_of(item)
    assert bounds is not None
    assert math.isfinite(bounds.least)
    assert math.isfinite(bounds.most)
    whole = isinstance(item.default, int)
    outside = [bounds.least - 1, bounds.most + 1, *([bounds.least] if bounds.open else [])]
    if not whole:
        outside += [math.nan, math.inf, -math.inf, 1e308, -1e308]
    for value in outside:
        with pytest.raises(ValueError, match=rf'^{item.name} must be {re.escape(str(bounds))}, got '):
            config_class(**_with(item, int(value) if whole else value))


@pytest.mark.parametrize('config_class', CLASSES, ids=[config_class.__name__ for config_class in CLASSES])
def test_the_defaults_are_within_their_bounds(config_class: type) -> None:
    config_class()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Drawn:
    wait_s: float = setting(1.0, 'How long, in s.', above=0, most=5, live=True)
    tries: int = setting(1, 'How often.')
    ends_m: tuple[float, ...] = setting((0.0, 1.0), 'From where to where, in m.', least=-1, most=1)
    on: bool = setting(True, 'Whether at all.')

    def __post_init__(self) -> None:
        check_bounds(self)


@given(value=st.floats(allow_nan=True, allow_infinity=True))
def test_a_number_is_taken_exactly_when_its_bounds_hold_it(value: float) -> None:
    for name, bounds, given_value in (
        ('wait_s', Bounds(0, 5, open=True), value),
        ('ends_m', Bounds(-1, 1), [0.0, value]),
    ):
        if math.isfinite(value) and (0 < value <= 5 if name == 'wait_s' else -1 <= value <= 1):
            assert bounds.hold(value)
            from_mapping(Drawn, {name: given_value})
        else:
            assert not bounds.hold(value)
            with pytest.raises(ConfigError, match=name):
                from_mapping(Drawn, {name: given_value})


@pytest.fixture
def markdown_table() -> Callable[[type], str]:
    return runpy.run_path(str(Path(__file__).parents[2] / 'scripts' / 'parameter_tables.py'))['markdown_table']


def test_the_table_shows_the_range_and_marks_what_is_live(markdown_table: Callable[[type], str]) -> None:
    rows = markdown_table(Drawn).splitlines()
    assert len(rows) == 2 + len(dataclasses.fields(Drawn))
    assert all(row.replace('\\|', '').count('|') == 6 for row in rows)
    assert '| `wait_s` * | float | `1.0` | above 0 and at most 5 | How long, in s. |' in rows
    assert '| `tries` | int | `1` | from 0 to 1000000 | How often. |' in rows
    assert '| `on` | bool | `True` |  | Whether at all. |' in rows
    assert [is_live(item) for item in dataclasses.fields(Drawn)] == [True, False, False, False]
