"""Answers that a scripted reader draws from what memories hand over."""

import json

import pytest

from lucca_core.errors import ConfigError
from lucca_lab.locomo.data import load_dialogues
from lucca_lab.reader.run import SYSTEMS, asked_of, context_of, is_right, read
from lucca_llm.model import ChatReply
from lucca_memory.embedding.hashed import HashedEmbedder


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
    asked = asked_of(dialogues, HashedEmbedder(), 200, 0)
    assert [item.question.answer for item in asked] == ['turquoise']
    model = Parrot()
    figures = read(asked, [20, 200], model, tmp_path / 'answers.jsonl')
    assert {name: row['right'] for name, row in figures['budgets']['20'].items()} == {
        'lucca': 1.0,
        'dense': 1.0,
        'bm25': 1.0,
        'newest': 0.0,
        'nothing': 0.0,
    }
    assert figures['budgets']['200']['newest']['right'] == 1.0
    # Without any context, both budgets are one call.
    assert figures['calls'] == model.calls == 2 * len(SYSTEMS) - 1
    assert figures['model_s'] == model.calls / 2


def test_an_interrupted_run_goes_on_where_it_stopped(dialogues, tmp_path):
    asked, file = asked_of(dialogues, HashedEmbedder(), 1, 0), tmp_path / 'answers.jsonl'
    with pytest.raises(KeyboardInterrupt):
        read(asked, [20], Parrot(breaks_after=2), file)
    with file.open('a') as stream:
        stream.write('{"key": "half')
    model = Parrot()
    figures = read(asked, [20], model, file)
    assert model.calls == len(SYSTEMS) - 2
    assert read(asked, [20], Parrot(breaks_after=0), file) == figures
    with pytest.raises(ConfigError, match='another model'):
        read(asked, [20], Parrot('owl'), file)


def test_a_context_is_the_best_that_fits_in_the_order_in_which_it_was_said(dialogues):
    lines = dialogues[0].lines
    assert context_of([lines[2], lines[0]], 1000).splitlines()[0].endswith('My boat is turquoise.')
    assert 'boat' not in context_of([lines[2], lines[0]], 12)
    assert context_of(lines, 0) == ''


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
    assert is_right(answer, expected) == right


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
    assert is_right(answer, expected, question) == right
