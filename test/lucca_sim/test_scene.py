"""Scenes: what they hold, that random places keep the rules for every seed, and that a bad file says what is wrong."""

import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_sim.scene import Scene, load_scene, scene_names

SEEDS = st.integers(min_value=0, max_value=2**31 - 1)
LIBRARY = (config_dir() / 'scenes' / 'library' / 'objects.yaml').read_text(encoding='utf-8')


def assert_placed_well(scene: Scene) -> None:
    for item in scene.objects:
        x, y, z = item.pose.position_m
        assert any(area.contains(x, y) for area in scene.placement.areas)
        assert z == pytest.approx(scene.table.height_m + item.size_m[2] / 2)
        assert math.isclose(math.hypot(*item.pose.orientation_xyzw), 1.0)
        for container in scene.containers:
            assert container.outline.distance_m(x, y) >= scene.placement.clearance_m
    for first, second in itertools.combinations(scene.objects, 2):
        assert math.dist(first.pose.position_m[:2], second.pose.position_m[:2]) >= scene.placement.spacing_m


@pytest.mark.parametrize('name', scene_names())
def test_every_scene_of_the_repository_places_its_objects_well(name: str) -> None:
    scene = load_scene(name, 7)
    assert scene.objects
    assert "user's side" in [region.name for region in scene.regions]
    assert_placed_well(scene)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_spacing_and_areas_hold_for_any_seed_of_the_fullest_scene(seed: int) -> None:
    assert_placed_well(load_scene('sorting_tower', seed))


@settings(max_examples=10, deadline=None)
@given(seed=SEEDS)
def test_same_seed_gives_the_same_scene(seed: int) -> None:
    assert load_scene('sorting_tower', seed) == load_scene('sorting_tower', seed)


def test_another_seed_gives_another_scene() -> None:
    assert load_scene('sorting', 1).objects != load_scene('sorting', 2).objects


@settings(max_examples=20, deadline=None)
@given(
    seed=SEEDS,
    names=st.lists(st.sampled_from([item.name for item in load_scene('table', 0).library]), min_size=1, max_size=8),
)
def test_chosen_objects_have_unique_names_and_are_placed_well(seed: int, names: list[str]) -> None:
    scene = load_scene('table', seed).with_objects(names)
    assert len(scene.objects) == len(names)
    every = [*scene.object_names, *(container.name for container in scene.containers)]
    assert len(set(every)) == len(every)
    assert_placed_well(scene)


def test_an_object_chosen_twice_is_numbered() -> None:
    scene = load_scene('table', 0).with_objects(['pear', 'apple', 'pear'])
    assert scene.object_names == ('pear', 'apple', 'pear 2')
    assert scene.objects[2].label == 'pear'


def test_a_container_gives_way_to_an_object_of_its_name() -> None:
    scene = load_scene('table', 0).with_objects(['bowl'])
    assert scene.container_named('bowl') is None
    assert scene.object_named('bowl') is not None


def test_an_object_that_the_library_lacks_is_refused_with_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"no object 'anvil'.*apple"):
        load_scene('table', 0).with_objects(['anvil'])


def test_more_objects_than_fit_are_refused() -> None:
    with pytest.raises(ValueError, match='do not fit'):
        load_scene('sorting_tower', 0).with_objects(['banana'] * 60)


def test_an_object_with_a_place_stays_there(tmp_path: Path) -> None:
    write(tmp_path, 'objects: [apple, {pear: [0.5, 0.3, 0.0]}]\ncontainers: {}\n')
    scenes = [load_scene(tmp_path / 'scene.yaml', seed) for seed in range(3)]
    assert scenes[0].object_names == ('apple', 'pear')
    assert {scene.objects[1].pose.position_m[:2] for scene in scenes} == {(0.5, 0.3)}
    assert len({scene.objects[0].pose for scene in scenes}) == 3


def test_what_only_touches_does_not_overlap(tmp_path: Path) -> None:
    write(
        tmp_path,
        'objects: [{apple: [0.6, 0.4, 0]}, {pear: [0.6, 0.48, 0]}]\n'
        'containers:\n  box 1: [0.3, 0.1]\n  box 2: [0.3, -0.1]\n  bowl: [0.5, -0.3]\n',
    )
    scene = load_scene(tmp_path / 'scene.yaml')
    assert len(scene.containers) == 3  # the bowl's square overlaps box 2, the bowl itself does not


def write(folder: Path, text: str, library: str = LIBRARY) -> None:
    (folder / 'library').mkdir(exist_ok=True)
    (folder / 'library' / 'objects.yaml').write_text(library, encoding='utf-8')
    (folder / 'scene.yaml').write_text('library: library/objects.yaml\n' + text, encoding='utf-8')


@pytest.mark.parametrize(
    ('text', 'line', 'reason'),
    [
        ('objects: [apple, anvil]\ncontainers: {}\n', 2, "no object 'anvil'"),
        ('objects: [apple, apple]\ncontainers: {}\n', 2, "'apple' is named twice"),
        ('objects: [{apple: [0.5]}]\ncontainers: {}\n', 2, 'a list of 3 numbers'),
        ('objects: [{apple: [5.0, 0, 0]}]\ncontainers: {}\n', 2, 'not on the table'),
        ('objects: apple\ncontainers: {}\n', 2, "'objects' must be a list"),
        ('objects: []\ncontainers:\n  box 9: [0.3, 0.1]\n', 4, "no container 'box 9'"),
        ('objects: []\ncontainers:\n  box 1: [0.3, 0.95]\n', 4, 'over the edge of the table'),
        (
            'objects: []\ncontainers:\n  box 1: [0.3, 0.1]\n  box 2: [0.3, 0.1]\n',
            5,
            "'box 2' at (0.3, 0.1) overlaps 'box 1'",
        ),
        ('objects: []\ncontainers:\n  box 1: [0.3, 0.1]\n  box 2: [0.3, 0.29]\n', 5, "overlaps 'box 1'"),
        ('objects: []\ncontainers:\n  bowl: [0.3, 0.1]\n  box 2: [0.3, -0.1]\n', 5, "overlaps 'bowl'"),
        ('objects: [{apple: [0.5, 0.3, 0]}, {pear: [0.5, 0.34, 0]}]\ncontainers: {}\n', 2, "stands inside 'apple'"),
        ('objects: [{apple: [0.3, 0.1, 0]}]\ncontainers:\n  box 1: [0.3, 0.1]\n', 2, "stands inside 'box 1'"),
        ('objects: []\ncontainers: {}\ntowers: []\n', 4, "unknown entry 'towers'"),
        ('objects: []\n', 1, "'containers' is missing"),
    ],
)
def test_a_bad_scene_is_refused_with_file_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_scene(tmp_path / 'scene.yaml', 0)
    assert reason in str(caught.value)
    assert caught.value.file.endswith('scene.yaml')
    assert (caught.value.line or 1) == line


@pytest.mark.parametrize(
    ('old', 'new', 'reason'),
    [
        ('shape: sphere', 'shape: torus', "'shape' must be one of"),
        ('mass_kg: 0.12', 'mass_kg: -1', 'mass_kg must be from 0.001 to 5, got -1'),
        ('mass_kg: 0.12', 'mass_kg: 120', 'mass_kg must be from 0.001 to 5, got 120'),
        ('size_m: [0.062, 0.062, 0.062]', 'size_m: [0.062, 0, 0.062]', 'size_m must be above 0'),
        ('rgb: [0.83, 0.07, 0.09]', 'rgb: [83, 7, 9]', 'rgb must be three numbers from 0 to 1'),
        ('rgb: [0.83, 0.07, 0.09]', 'rgb: red', "'rgb' must be a list of 3 numbers"),
        ('spacing_m: 0.12', 'spacing_m: .nan', "'spacing_m' must be a number"),
        ('y_m: [-0.97, 0.97], height_m', 'y_m: [0.97, -0.97], height_m', 'low below high'),
    ],
)
def test_a_bad_library_is_refused_with_its_own_name_and_line(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in LIBRARY
    write(tmp_path, 'objects: [apple]\ncontainers: {}\n', LIBRARY.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        load_scene(tmp_path / 'scene.yaml', 0)
    assert reason in str(caught.value)
    assert caught.value.file.endswith('objects.yaml')
    assert caught.value.line > 0


def test_an_unknown_scene_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no scene 'moon'.*arrangement.*tower"):
        load_scene('moon', 0)
