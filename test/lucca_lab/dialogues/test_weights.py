"""Saved signals, and weights that are chosen on other sets of dialogues."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_core.errors import ConfigError
from lucca_lab.dialogues.signals import RECENT, WEIGHTED, SignalTable, load_signals, save_signals, weights_of
from lucca_lab.dialogues.weights import choose, leave_one_set_out
from lucca_memory.retrieval.config import RetrievalConfig

LINES = 40


def table(signal, evidence):
    """A question whose evidence has the highest value of one signal, while words rank every other line before it."""
    signals = np.zeros((LINES, len(WEIGHTED) + 1), np.float32)
    signals[:, :2] = np.linspace(0.9, 0.5, LINES, dtype=np.float32)[:, None]
    signals[evidence] = 0
    signals[evidence, WEIGHTED.index(signal)] = 1
    is_evidence = np.zeros(LINES, np.bool_)
    is_evidence[evidence] = True
    return SignalTable('a', signals, is_evidence)


@pytest.fixture
def data(tmp_path):
    said = [(f'The {thing} is in the cellar.', at) for at, thing in enumerate(['ladder', 'drill', 'kayak'], 1)]
    conversation = {}
    for text, at in said:
        conversation[f'session_{at}_date_time'] = f'2023-05-0{at}'
        conversation[f'session_{at}'] = [{'dia_id': f'D{at}:1', 'speaker': 'user', 'text': text}]
    asked = [
        {'question': 'Where is the kayak?', 'evidence': ['D3:1']},
        {'question': 'Where is the ladder?', 'evidence': ['D1:1'], 'before': 1},
    ]
    (tmp_path / 'talk.json').write_text(json.dumps({'sample_id': '1', 'conversation': conversation, 'qa': asked}))
    return tmp_path


def test_the_command_keeps_the_signals_of_questions_whose_evidence_is_known(data):
    file = data / 'out.npz'
    arguments = ['eval', 'dialogues', '--data', str(data), '--embedding', 'none', '--json', '--signals', str(file)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    [kept] = load_signals(file)
    assert kept.is_evidence.tolist() == [False, False, True]
    assert kept.signals[:, WEIGHTED.index('words')].argmax() == 2
    assert kept.recall(weights_of(RetrievalConfig())) == 1


def test_signals_are_read_as_they_were_written(tmp_path):
    tables = [table('words', 3), table('meaning', 30)]
    save_signals(tmp_path / 'a.npz', tables)
    for written, read in zip(tables, load_signals(tmp_path / 'a.npz'), strict=True):
        assert np.allclose(read.signals, written.signals, atol=1e-3)
        assert (read.is_evidence == written.is_evidence).all()


def test_no_tables_are_read_as_none(tmp_path):
    save_signals(tmp_path / 'a.npz', [])
    assert load_signals(tmp_path / 'a.npz') == []


def test_another_file_is_refused_by_name(tmp_path):
    (tmp_path / 'a.npz').write_text('no archive')
    with pytest.raises(ConfigError, match=r'a\.npz'):
        load_signals(tmp_path / 'a.npz')


def test_a_new_line_is_raised_by_its_share():
    signals = np.zeros((LINES, len(WEIGHTED) + 1), np.float32)
    signals[:, 0] = 0.5
    signals[:11, 0] = 0.6
    signals[20, -1] = 1
    is_evidence = np.arange(LINES) == 20
    weights = np.zeros(len(WEIGHTED) + 1, np.float32)
    weights[0] = 1
    assert SignalTable('a', signals, is_evidence).recall(weights) == 0
    weights[-1] = 0.5
    assert SignalTable('a', signals, is_evidence).recall(weights) == 1


def test_the_chosen_weights_find_what_their_sets_need():
    weights = choose([[table('meaning', 20), table('meaning', 35)]])
    assert weights[WEIGHTED.index('meaning')] > weights[WEIGHTED.index('words')]


def test_a_set_is_measured_by_weights_that_were_chosen_on_the_others():
    sets = {'one': [table('meaning', 20)], 'two': [table('meaning', 30)], 'three': [table('words', 30)]}
    found = leave_one_set_out(sets)
    assert found['one'].chosen == found['two'].chosen == 1
    assert found['three'].chosen == 0
    assert set(found['one'].weights) == {*WEIGHTED, RECENT}


def test_one_set_alone_is_refused():
    with pytest.raises(ValueError, match='at least two sets'):
        leave_one_set_out({'one': [table('words', 1)]})
