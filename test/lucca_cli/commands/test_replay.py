"""`lucca replay --decide`: what it prints, and how it ends."""

import json
import shutil
from dataclasses import replace

import pytest
from typer.testing import CliRunner

pytest.importorskip('mcap')

import recorded_session as session

from lucca_cli.commands import replay
from lucca_cli.main import app
from lucca_llm.model import ChatReply
from lucca_robot.profile import config_dir

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


@pytest.fixture
def foreign(run, tmp_path, monkeypatch):
    """A session whose robot is a file in the working folder, or whatever else it names."""
    monkeypatch.chdir(tmp_path)
    for name, ours in (('mine.yaml', 'nicol.yaml'), ('nicol.urdf', 'nicol.urdf')):
        shutil.copy(config_dir() / 'robots' / ours, tmp_path / name)

    def invoke(robot, *options):
        monkeypatch.setattr(session, 'INFO', replace(session.INFO, robot=robot))
        (tmp_path / 'session.mcap').unlink()
        session.write(tmp_path / 'session.mcap')
        return run(RIGHT, '--decide', *options)

    return invoke


@pytest.mark.parametrize('robot', ['mine.yaml', '../x', '/dev/zero', 'nobody'])
def test_a_recording_does_not_choose_a_file_and_no_other_robot_stands_in(foreign, robot):
    result, asked = foreign(robot)
    said = ' '.join(result.output.split())
    assert (result.exit_code, asked) == (1, [])
    assert 'the gate needs the robot of the recording; name it with --robot' in said
    assert f'{robot!r}, is not used' in said


def test_the_robot_that_is_given_judges(foreign):
    assert foreign('../x', '--robot', 'mine.yaml')[0].exit_code == 0
