"""`lucca replay --decide`: what it prints, and how it ends."""

import json

import pytest
from typer.testing import CliRunner

pytest.importorskip('mcap')

import recorded_session as session

from lucca_cli.commands import replay
from lucca_cli.main import app
from lucca_llm.model import ChatReply

RIGHT = '<move_to_box_1(pear)>'


class Answering:
    """A model that always answers the same."""

    spec = 'answering'

    def __init__(self, text):
        self.text = text

    def chat(self, messages, options, **_):
        return ChatReply(text=self.text, prompt_tokens=1, completion_tokens=1, model_s=0.0)


@pytest.fixture
def run(tmp_path, monkeypatch):
    file = tmp_path / 'session.mcap'
    session.write(file)
    asked = []

    def invoke(answer, *options):
        monkeypatch.setattr(replay, 'make_model', lambda spec: asked.append(spec) or Answering(answer))
        return CliRunner().invoke(app, ['replay', str(file), '--llm', 'ollama:other', *options]), asked

    return invoke


def test_the_same_decisions_end_with_zero(run):
    result, asked = run(RIGHT, '--decide', '--json')
    assert (result.exit_code, asked) == (0, ['ollama:other'])
    assert json.loads(result.stdout) == {'steps': 1, 'same': 1, 'different': []}


def test_another_decision_ends_with_one_and_is_told_with_what_the_gate_says(run):
    result, _ = run('<move_to_box_1(unicorn)>', '--decide', '--json')
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)['different']
    assert found == {'step': 1, 'recorded': RIGHT, 'now': '<move_to_box_1(unicorn)>', 'gate': 'unknown_object'}


def test_without_decide_it_says_what_there_is(run):
    result, asked = run(RIGHT)
    assert (result.exit_code, asked) == (2, [])
    assert 'lucca view' in result.output
