"""A small sample of `lucca eval perception`: the set is what it says, and perception holds on it."""

import json

import numpy as np
import pytest

from lucca_core.errors import ConfigError
from lucca_lab.perception import scenes
from lucca_lab.perception.report import write_report
from lucca_lab.perception.run import PerceptionPlan, run
from lucca_lab.perception.scenes import CAMERA_M, GAP_M, UNKNOWN, draw_conditions, draw_moving, draw_still
from lucca_lab.perception.stills import Still, noisy, run_still, still
from perception_node.config import PerceptionConfig
from perception_node.detectors.detector_spec import make_detector

SEED, SCENES = 5, 4


@pytest.fixture(scope='module')
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp('perception')
    plan = PerceptionPlan(scenes=SCENES, sequences=1, seed=SEED, frames=str(folder / 'frames'))
    return folder, plan, run(plan, folder / 'out')


@pytest.mark.parametrize('number', range(12))
def test_scenes_are_drawn_within_their_bounds_and_the_same_every_time(number):
    def drawn():
        rng = np.random.default_rng((SEED, 1, number))
        return draw_still(rng), draw_conditions(rng)

    scene, conditions = drawn()
    assert (scene, conditions) == drawn()
    known = [item for item in scene.objects if item.label != UNKNOWN]
    assert scenes.OBJECTS[0] <= len(known) <= scenes.OBJECTS[1]
    assert len(scene.objects) - len(known) <= scenes.UNKNOWNS[1]
    assert len({item.name for item in scene.objects}) == len(scene.objects)
    assert scenes.LIGHT[0] <= conditions.light <= scenes.LIGHT[1]
    assert scenes.KELVIN[0] <= conditions.kelvin <= scenes.KELVIN[1]
    assert max(map(abs, conditions.shift_m)) <= CAMERA_M
    free = [item for item in known if scene.table.height_m + item.size_m[2] / 2 == item.pose.position_m[2]]
    for first in free:
        for second in free:
            apart = np.hypot(*np.subtract(first.pose.position_m, second.pose.position_m)[:2])
            assert first is second or apart >= first.footprint_radius_m + second.footprint_radius_m + GAP_M - 1e-9


@pytest.mark.parametrize('number', range(6))
def test_moving_tables_have_two_things_that_are_alike(number):
    scene = draw_moving(np.random.default_rng((SEED, 2, number)))
    assert any(name.endswith(' 2') for name in scene.object_names)


def test_truth_comes_from_the_picture_and_covers_every_thing(sample):
    folder, _, results = sample
    for result in results.stills:
        made = still(SEED, result.number, folder / 'frames')
        assert {item.name for item in made.truth} == set(result.visible)
        for item in made.truth:
            assert 0.0 <= item.visible <= 1.0
            assert not (item.scored and item.label == UNKNOWN)
            x, y, width, height = item.box_px
            assert x + width <= 640
            assert y + height <= 480
        frame = noisy(made, SEED, result.number)
        assert float(np.std(frame.depth_m - made.frame.depth_m)) == pytest.approx(0.002, rel=0.05)


def test_a_kept_picture_is_the_one_that_was_rendered(sample, tmp_path):
    folder, _, _ = sample
    kept = Still.load(folder / 'frames' / f'{SEED}-0000.npz')
    kept.save(tmp_path / 'again.npz')
    again = Still.load(tmp_path / 'again.npz')
    assert (again.truth, again.intrinsics, again.camera_pose) == (kept.truth, kept.intrinsics, kept.camera_pose)
    assert np.array_equal(again.frame.rgb, kept.frame.rgb)


def test_perception_holds_on_the_sample(sample):
    folder, plan, results = sample
    summary = write_report(plan, results, folder / 'out')
    figures = {name: item['value'] for name, item in summary['figures'].items()}
    assert figures['objects scored in scenes'] >= 6 * SCENES
    assert figures['F1 at IoU 0.5'] >= 0.95
    assert figures['3D error, median'] < 5.0
    assert figures['object-frames in sequences'] >= 150
    assert figures['identity switches'] == 0
    assert json.loads((folder / 'out' / 'summary.json').read_text())['plan']['seed'] == SEED
    assert '| F1 at IoU 0.5 |' in (folder / 'out' / 'table.md').read_text()
    assert len(list((folder / 'out').glob('worst-*.png'))) == SCENES


def test_the_set_is_hard_without_the_tables_colour(sample, monkeypatch):
    """What keeps the figures is told by taking it away."""
    folder, _, results = sample
    with monkeypatch.context() as patch:
        patch.setattr('perception_node.detectors.segmenter.gains', lambda *args: np.ones(3))
        without = [
            run_still(SEED, item.number, make_detector(PerceptionConfig()), folder / 'frames')
            for item in results.stills
        ]
    assert sum(len(item.score.found) for item in without) < sum(len(item.score.found) for item in results.stills)


def test_a_run_goes_on_where_it_was_left_and_measures_nothing_twice(sample, monkeypatch):
    folder, plan, results = sample
    file = folder / 'out' / 'scenes.jsonl'
    lines = file.read_text().splitlines(keepends=True)
    # The last line was cut off.
    file.write_text(''.join(lines[:-1]) + lines[-1][:30])
    measured = []
    real = run_still
    monkeypatch.setattr(
        'lucca_lab.perception.run.run_still',
        lambda seed, number, *args: (measured.append(number), real(seed, number, *args))[1],
    )
    again = run(plan, folder / 'out')
    assert len(measured) == 1
    assert [item.score for item in again.stills] == [item.score for item in results.stills]


def test_a_folder_of_another_seed_is_refused(sample):
    folder, _, _ = sample
    with pytest.raises(ConfigError, match=r"'seed': 5.*not of.*'seed': 6"):
        run(PerceptionPlan(scenes=1, sequences=0, seed=6), folder / 'out')
