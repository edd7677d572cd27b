"""The calibration sees no cell with memory, and the published figures are the published ones."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from lucca_lab.tasks import calibration
from lucca_lab.tasks.calibration import Call, FittedFaults, error_of, simulate, targets
from lucca_lab.tasks.paper import METRICS, MODELS, TASKS, load_paper

FIT = FittedFaults(spoilt=0.01, misread=0.01, far_tokens=1000.0, far_factor=50.0)


def test_no_target_is_of_a_cell_with_memory(monkeypatch):
    wanted = targets()
    assert len(wanted) == 3 * 5 * len(METRICS)
    paper = load_paper()
    spoilt = {key: ({} if key[1] else cell) for key, cell in paper.published.items()}
    monkeypatch.setattr(calibration, 'load_paper', lambda: replace(paper, published=spoilt))
    assert targets() == wanted


def test_the_quick_model_knows_the_extremes():
    calls = [Call('sorting', calibration._ACTS, 500), Call('sorting', calibration._ASKED_TASK, 600)]
    never = replace(FIT, spoilt=0.0, misread=0.0)
    always = replace(FIT, spoilt=1.0, misread=1.0)
    assert set(simulate({'standalone': [calls]}, never, 5).values()) == {1.0}
    assert set(simulate({'standalone': [calls]}, always, 5).values()) == {0.0}


def test_faults_far_from_the_task_are_more_likely():
    chances = [FIT.chance(0.01, distance) for distance in (0, 500, 1000, 2000, 9000)]
    assert chances == sorted(chances)
    assert chances[0] == pytest.approx(0.01)


def test_the_error_is_the_mean_over_the_cells_that_both_have():
    assert error_of({('m', 't', 's'): 0.5, ('x', 'y', 'z'): 0.0}, {('m', 't', 's'): 0.75, ('o', 'o', 'o'): 1.0}) == 0.25


def test_the_published_figures_are_the_papers():
    folder = os.environ.get('REFERENCE_DIR', '')
    file = Path(folder) / 'paper_results.yaml'
    if not folder or not file.exists():
        pytest.skip('REFERENCE_DIR names no folder with the published figures')
    theirs = yaml.safe_load(file.read_text(encoding='utf-8'))['nicol']
    names = {False: 'without_memory', True: 'with_memory'}
    for (mode, memory, task), cell in load_paper().published.items():
        rows = theirs[mode] if mode == 'standalone' else theirs[mode][names[memory]]
        assert {model: tuple(rows[task][model]) for model in MODELS} == dict(cell)
    assert set(load_paper().objects) == set(TASKS)
