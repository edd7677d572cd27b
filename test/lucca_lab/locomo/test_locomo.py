"""`lucca eval locomo` on a made-up dialogue in LoCoMo's format, and on the real ones where they are at hand."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_core.errors import ConfigError
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.locomo.scoring import Ranked, recalls

LOCOMO = os.environ.get('LOCOMO_DATA', '')
"""Outside of LUCCA_…: those variables are cleaned away before any test."""


def _sample(name):
    said = [('Ann', 'I adopted a cat called Tofu.'), ('Ben', 'Lovely!'), ('Ann', 'I also paint sunsets.')]
    other = [('Ben', 'I broke my leg skiing.'), ('Ann', 'Oh no!'), ('Ben', 'It heals.')]
    lines = [
        [{'speaker': who, 'dia_id': f'D{number}:{at}', 'text': text} for at, (who, text) in enumerate(talk, 1)]
        for number, talk in ((1, said), (2, other))
    ]
    lines[0][2]['blip_caption'] = 'a red sky'
    return {
        'sample_id': name,
        'conversation': {
            'speaker_a': 'Ann',
            'session_1': lines[0],
            'session_1_date_time': '1:56 pm on 8 May, 2023',
            'session_2': lines[1],
            'session_2_date_time': '9:00 am on 1 June, 2023',
        },
        'qa': [
            {'question': "What is Ann's cat called?", 'answer': 'Tofu', 'evidence': ['D1:1'], 'category': 4},
            {'question': 'When did Ben break his leg?', 'answer': 'May', 'evidence': ['D2:1; D:2:03'], 'category': 2},
            {'question': 'What does Ben paint?', 'answer': '-', 'evidence': ['D1:3'], 'category': 5},
            {'question': 'Unanswerable', 'answer': '-', 'evidence': ['D'], 'category': 1},
        ],
    }


@pytest.fixture
def data(tmp_path):
    (tmp_path / 'two.json').write_text(json.dumps([_sample('one'), _sample('two')]))
    return tmp_path


def test_dialogues_are_read_with_odd_evidence_mended(data):
    one, two = load_dialogues(data)
    assert (one.sample_id, two.sample_id, len(one.lines), len(one.scored)) == ('one', 'two', 6, 2)
    assert one.lines[2].text == 'I also paint sunsets. [shared image: a red sky]'
    assert one.questions[1].evidence == {'D2:1', 'D2:3'}
    assert one.end.isoformat() == '2023-06-01T09:00:00+00:00'


@pytest.mark.parametrize('text', ['', '{}', '[1]', '[{"sample_id": "x"}]'])
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / 'bad.json').write_text(text)
    with pytest.raises(ConfigError, match='format of LoCoMo'):
        load_dialogues(tmp_path)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ConfigError, match='there is no'):
        load_dialogues(tmp_path)


def test_recall_is_the_share_of_the_evidence(data):
    asked = load_dialogues(data)[0].questions[1]
    ranked = Ranked('one', asked, ('D2:2', 'D2:1', 'D1:1', 'D1:2', 'D1:3', 'D2:3'))
    assert recalls([ranked]) == {'recall_at_5': 0.5, 'recall_at_10': 1.0, 'recall_at_20': 1.0}


def test_the_command_prints_its_figures_and_writes_rankings(data, tmp_path):
    out = tmp_path / 'rankings.jsonl'
    arguments = ['eval', 'locomo', '--data', str(data), '--embedding', 'none', '--json', '--rankings', str(out)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert {'recall_at_5', 'recall_at_10', 'recall_at_20', 'by_category', 'baselines', 'query_ms'} <= set(figures)
    assert figures['recall_at_10'] == 1.0
    assert figures['questions'] == 4
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0]['ranked'][0] == 'D1:1'
    assert len(rows) == 4


def test_a_wrong_folder_is_said(tmp_path):
    result = CliRunner().invoke(app, ['eval', 'locomo', '--data', str(tmp_path)])
    assert result.exit_code == 1


@pytest.mark.slow
def test_the_real_dialogues_reach_the_floor(tmp_path):
    if not LOCOMO or not Path(LOCOMO).is_dir():
        pytest.skip('LOCOMO_DATA names no folder of LoCoMo files')
    result = CliRunner().invoke(app, ['eval', 'locomo', '--data', LOCOMO, '--json'])
    figures = json.loads(result.stdout)
    assert figures['recall_at_10'] >= 0.78
    assert figures['leave_one_out']['recall_at_10'] >= 0.80
