"""`lucca eval forgetting train`: weeks of many shapes, and what is kept of weeks of others."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_lab.commands import eval_forgetting
from lucca_lab.forgetting.generator import shapes_of
from lucca_lab.forgetting.kept_facts import ALL_UNSEEN, TRAINING, KeptFacts
from lucca_lab.forgetting.policy import NAMES as OBSERVED
from lucca_lab.forgetting.policy import Policy, load_policy
from lucca_lab.forgetting.trace import record_shapes
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_memory.semantic.config import RANGES, ForgettingConfig


def test_a_difference_of_every_scenario_is_ahead_and_none_is_not():
    less, more = ((50, 100), (60, 100), (70, 100)), ((55, 100), (66, 100), (75, 100))
    ahead = KeptFacts(default=less, tuned=less, learned=more)
    assert ahead.ahead == pytest.approx((0.05, 0.06), abs=0.005)
    assert ahead.is_ahead
    assert ahead.as_json() == {
        'facts': 300,
        'default': 0.6,
        'tuned': 0.6,
        'learned': 0.6533,
        'learned_minus_tuned': [round(value, 4) for value in ahead.ahead],
    }
    level = KeptFacts(default=less, tuned=less, learned=less)
    assert level.ahead == (0.0, 0.0)
    assert not level.is_ahead
    both = KeptFacts.pooled([ahead, level])
    assert both.facts == 600
    assert 0 <= both.ahead[0] < both.ahead[1] <= ahead.ahead[1]
    mixed = KeptFacts(default=less, tuned=less, learned=((45, 100), (66, 100), (75, 100)))
    assert not mixed.is_ahead


def test_a_policy_that_does_nothing_keeps_what_its_fixed_parameters_keep():
    pytest.importorskip('gymnasium', reason='gymnasium is not installed')
    still = np.zeros((len(RANGES), len(OBSERVED)), np.float32), np.zeros(len(RANGES), np.float32)
    policy = Policy((still,), ForgettingConfig(beta=0.5), {})
    traces = record_shapes(shapes_of(['threads=8,sessions=20']), 'train', 1, 1, HashedEmbedder(64))
    kept = KeptFacts.of(traces['threads=8,sessions=20'][:1], policy, 0.25)
    assert kept.learned == kept.tuned


def test_a_shape_of_the_training_is_refused_as_unseen(tmp_path):
    words = ['eval', 'forgetting', 'train', '--out', str(tmp_path / 'out')]
    shapes = ['--shape', 'bursts=3,asks=2.0', '--unseen', 'asks=2,bursts=3']
    result = CliRunner().invoke(app, [*words, *shapes])
    assert result.exit_code == 2
    assert "got 'asks=2,bursts=3'" in ' '.join(result.output.replace('│', ' ').split())
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore')
def test_training_on_many_shapes_reports_every_other_shape(tmp_path, monkeypatch):
    pytest.importorskip('stable_baselines3', reason='stable-baselines3 is not installed')
    pytest.importorskip('gymnasium', reason='gymnasium is not installed')
    monkeypatch.setattr(eval_forgetting, 'HASHED_DIMENSIONS', 32)
    words = ['eval', 'forgetting', 'train', '--out', str(tmp_path), '--scenarios', '1', '--steps', '30', '--tries', '1']
    shapes = ['--shape', 'used_share=0.9', '--shape', 'bursts=3', '--unseen', 'bursts=2', '--unseen', 'idle_share=0.3']
    result = CliRunner().invoke(app, [*words, *shapes])
    assert result.exit_code == 0, result.output
    told = load_policy(tmp_path / 'policy.json').provenance
    assert told['shapes'] == ['used_share=0.9', 'bursts=3']
    assert len(told['train']) == 8
    assert [*told['critical_facts_kept']] == [TRAINING, 'bursts=2', 'idle_share=0.3', ALL_UNSEEN]
    assert json.dumps(told['critical_facts_kept'])
