"""Answers that a scripted reader draws from what memories hand over."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from lucca_cli.main import app
from lucca_core.errors import ConfigError
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.reader.contexts import SYSTEMS, from_kept, from_whole_dialogues, handed_over
from lucca_lab.reader.run import RIGHT, agreement, read, write_requests
from lucca_lab.recorded_calls import ReplayModel
from lucca_llm.model import ChatReply


class Parrot:
    """Answers with the note that names a word of the question, else with nothing useful."""

    def __init__(self, spec='parrot', breaks_after=10**6):
        self.spec, self.calls, self._left = spec, 0, breaks_after

    def chat(self, messages, options, **_):
        if self.calls == self._left:
            raise KeyboardInterrupt
        self.calls += 1
        notes = [line for line in messages[-1].content.splitlines() if 'boat' in line and 'Question' not in line]
        return ChatReply(
            text=notes[0].split()[-1] if notes else 'unknown', prompt_tokens=5, completion_tokens=1, model_s=0.5
        )

    def check(self, deadline_s):
        pass


@pytest.fixture
def dialogues(tmp_path):
    said = {
        1: ['My boat is turquoise.', 'Fine weather today.'],
        2: ['I like tea.', 'Me too.', 'What a long day it was.'],
    }
    conversation = {}
    for number, texts in said.items():
        conversation[f'session_{number}_date_time'] = f'2025-01-0{number}'
        conversation[f'session_{number}'] = [
            {'dia_id': f'D{number}:{at}', 'speaker': 'AnnBen'[at % 2 * 3 :][:3], 'text': text}
            for at, text in enumerate(texts, 1)
        ]
    asked = [
        {'question': 'Which colour is the boat?', 'answer': 'turquoise', 'evidence': ['D1:1'], 'category': 4},
        {'question': 'What is said of tea?', 'evidence': ['D2:1'], 'category': 4},
    ]
    (tmp_path / 'one.json').write_text(json.dumps({'sample_id': 'one', 'conversation': conversation, 'qa': asked}))
    return load_dialogues(tmp_path)


def test_a_reader_is_right_where_the_evidence_is_handed_over(dialogues, tmp_path):
    asked = from_whole_dialogues(dialogues, [20, 200], HashedEmbedder(), 200, 0)
    assert [item.question.answer for item in asked] == ['turquoise']
    model = Parrot()
    figures = read(asked, model, tmp_path / 'answers.jsonl')
    rows = figures['budgets']['20']
    right = {'lucca': 1.0, 'dense': 1.0, 'bm25': 1.0, 'newest': 0.0, 'nothing': 0.0, 'evidence': 1.0}
    assert {name: row['right'] for name, row in rows.items()} == right
    assert {name: row['f1'] for name, row in rows.items()} == right
    assert {name: row['evidence'] for name, row in rows.items()} == right
    assert rows['newest']['below_lucca'] == 1.0
    assert figures['budgets']['200']['newest']['right'] == 1.0


def test_equal_contexts_are_one_call(dialogues, tmp_path):
    asked, model = from_whole_dialogues(dialogues, [200, 400], HashedEmbedder(), 1, 0), Parrot()
    figures = read(asked, model, tmp_path / 'answers.jsonl')
    # Everything fits into 200 tokens: the whole dialogue, nothing, and the evidence alone.
    assert figures['calls'] == model.calls == 3
    assert figures['model_s'] == model.calls / 2


def test_a_memory_that_kept_the_evidence_hands_it_over_and_one_that_dropped_it_does_not(dialogues, tmp_path):
    [dialogue] = dialogues
    first = replace(dialogue.lines[0], text='On Monday in Kiel my sister Mira painted the boat turquoise.')
    dialogue = replace(dialogue, lines=(first, *dialogue.lines[1:]))
    asked = from_kept([dialogue], [1.0, 0.5], 100, HashedEmbedder(), HashedEmbedder(), 1, 0)
    figures = read(asked, Parrot(), tmp_path / 'answers.jsonl')
    assert set(figures['budgets']['0.5']) == set(SYSTEMS)
    assert {name: row['evidence'] for name, row in figures['budgets']['1'].items() if name != 'nothing'} == {
        name: 1.0 for name in SYSTEMS if name != 'nothing'
    }
    # Half of the bytes hold the newest lines, or the one that tells most.
    assert figures['budgets']['0.5']['lucca']['right'] == 1.0
    assert figures['budgets']['0.5']['dense']['evidence'] == figures['budgets']['0.5']['newest']['evidence'] == 0.0


def test_without_a_model_only_the_evidence_that_is_handed_over_is_counted(dialogues, tmp_path):
    options = ['--data', str(tmp_path), '--embedding', 'none', '--budgets', '12', '--json']
    ended = CliRunner().invoke(app, ['eval', 'answers', *options])
    assert ended.exit_code == 0, ended.output
    rows = json.loads(ended.stdout)['budgets']['12']
    assert (rows['lucca']['evidence'], rows['nothing']['evidence'], rows['nothing']['below_lucca']) == (1.0, 0.0, 1.0)
    shown = CliRunner().invoke(app, ['eval', 'answers', *options[:-1]])
    assert 'evidence handed over' in shown.output
    assert 'answered rightly' not in shown.output


def test_fewer_questions_are_the_first_of_many(dialogues):
    [dialogue] = dialogues
    questions = tuple(replace(dialogue.questions[0], text=f'Question {number}?') for number in range(30))
    many = from_kept([replace(dialogue, questions=questions)], [1.0], 50, HashedEmbedder(), HashedEmbedder(), 20, 3)
    few = from_kept([replace(dialogue, questions=questions)], [1.0], 50, HashedEmbedder(), HashedEmbedder(), 5, 3)
    assert few == many[:5]
    assert [item.question for item in many] != list(questions[:20])


def test_an_interrupted_run_goes_on_where_it_stopped(dialogues, tmp_path):
    asked, file = from_whole_dialogues(dialogues, [12], HashedEmbedder(), 1, 0), tmp_path / 'answers.jsonl'
    whole = Parrot()
    read(asked, whole, tmp_path / 'whole.jsonl')
    assert whole.calls > 2
    with pytest.raises(KeyboardInterrupt):
        read(asked, Parrot(breaks_after=2), file)
    with file.open('a') as stream:
        stream.write('{"key": "half')
    model = Parrot()
    figures = read(asked, model, file)
    assert model.calls == whole.calls - 2
    assert read(asked, Parrot(breaks_after=0), file) == figures
    with pytest.raises(ConfigError, match='another model'):
        read(asked, Parrot('owl'), file)


def test_requests_answered_elsewhere_are_read_as_a_recording(dialogues, tmp_path):
    asked = from_whole_dialogues(dialogues, [20, 200], HashedEmbedder(), 200, 0)
    requests, recording = tmp_path / 'requests.jsonl', tmp_path / 'recording.jsonl'
    assert write_requests(asked, requests) == len(requests.read_text().splitlines())
    reply = {'text': 'turquoise', 'prompt_tokens': 5, 'completion_tokens': 1, 'model_s': 0.5}
    lines = [json.loads(line) | {'model': 'elsewhere', 'reply': reply} for line in requests.read_text().splitlines()]
    recording.write_text(''.join(json.dumps(line) + '\n' for line in lines))
    figures = read(asked, ReplayModel(recording), tmp_path / 'answers.jsonl')
    assert figures['calls'] == len(lines)
    assert {row['right'] for row in figures['budgets']['200'].values()} == {1.0}


def test_a_context_is_the_best_that_fits_in_the_order_in_which_it_was_said(dialogues):
    [dialogue] = dialogues
    lines, asked = dialogue.lines, dialogue.questions[0]
    said = {line.dia_id: line for line in lines}
    both = handed_over([lines[1], lines[0]], 1000, asked, said)
    assert both.has_evidence
    assert [line.rpartition(': ')[2] for line in both.text.splitlines()] == [lines[0].text, lines[1].text]
    assert 'boat' not in handed_over([lines[2], lines[0]], 12, asked, said).text
    assert handed_over(lines, 0, asked, said).text == ''


def test_a_part_of_a_line_is_no_evidence(dialogues):
    [dialogue] = dialogues
    line, asked = dialogue.lines[0], dialogue.questions[0]
    part, asked = replace(line, text='My boat.'), replace(asked, evidence=frozenset({line.dia_id}))
    assert handed_over([line], 1000, asked, {line.dia_id: line}).has_evidence
    assert not handed_over([part], 1000, asked, {line.dia_id: line}).has_evidence


@pytest.mark.parametrize(
    ('answer', 'expected', 'right'),
    [
        ('It is turquoise.', 'turquoise', True),
        ('red', 'turquoise', False),
        ('', 'turquoise', False),
        ('the', 'the', False),
        ('She moved to Kiel with her sister and two large dogs', 'Kiel', False),
    ],
)
def test_an_answer_is_right_if_its_words_are_mostly_those_expected(answer, expected, right):
    assert (agreement(answer, expected) >= RIGHT) == right


@pytest.mark.parametrize(
    ('question', 'answer', 'expected', 'right'),
    [
        (
            'How did Gina want her customers to feel in her store?',
            'Gina wanted her customers to feel cozy and comfortable in her store',
            'cozy and comfortable',
            True,
        ),
        ('Does she like tea or coffee?', 'She likes tea', 'tea', True),
        ('Does she like tea or coffee?', 'She likes coffee', 'tea', False),
        ('Where did she move?', 'She moved to Kiel with her sister and two large dogs', 'Kiel', False),
    ],
)
def test_words_of_the_question_make_an_answer_neither_right_nor_wrong(question, answer, expected, right):
    assert (agreement(answer, expected, question) >= RIGHT) == right


@pytest.mark.parametrize(
    ('options', 'told'),
    [
        (['--keep', '2'], '--keep must be above 0 and at most 1'),
        (['--keep', '0.1,x'], '--keep must be numbers separated by commas'),
        (['--keep', '0.1', '--budgets', '64,128'], 'one number with --keep'),
        (['--budgets', '0'], '--budgets must be at least 1'),
        (['--model', ''], '--model and --out are given together'),
        (['--requests', 'requests.jsonl'], '--requests is given without --model'),
    ],
)
def test_a_wrong_size_is_refused_before_anything_is_read(tmp_path, options, told):
    where = ['--data', str(tmp_path / 'none'), '--model', 'local:smollm2', '--out', str(tmp_path / 'answers.jsonl')]
    ended = CliRunner().invoke(app, ['eval', 'answers', *where, *options], env={'COLUMNS': '200'})
    assert ended.exit_code == 2
    assert told in ended.output
