"""`lucca chat` as somebody at a terminal has it, with the embedded reasoner."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip('rclpy')

from lucca_cli.chat_backends import ChatAnswer, local_chat
from lucca_cli.commands.chat import run_chat
from lucca_core.errors import MemoryFault, ModelRetryable, StackError
from lucca_llm.rules.rule_based_model import RuleBasedModel


class Typed:
    """Lines that somebody types, then Ctrl-D."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)

    def __call__(self) -> str:
        if not self._lines:
            raise EOFError
        return self._lines.pop(0)


def shown(room, *lines: str) -> str:
    console = Console(file=io.StringIO(), width=200)
    run_chat(room, console, 'Ana', Typed(lines))
    return console.file.getvalue()


def chat(folder: Path, person: str, *lines: str) -> str:
    with local_chat(folder, person, embedding='none') as room:
        return shown(room, *lines)


def test_the_second_session_remembers_the_first_and_says_what_it_rests_on(tmp_path):
    first = chat(tmp_path / 'm', 'Ana', 'hello', 'My boat is called Petrel.', 'build a tower')
    assert 'Lucca: Hello Ana. What can I do for you?' in first
    assert 'I cannot do that: no robot is running here' in first
    second = chat(tmp_path / 'm', 'Ana', 'hello', 'What is my boat called?', '/recall', '/feedback good', '/quit', 'x')
    assert 'you told me: “My boat is called Petrel”. How are you today?' in second
    assert 'recalled said:3 (Ana, 20' in second
    assert '): My boat is called Petrel.' in second
    assert 'kept: good for Earlier today you told me' in second
    assert 'Petrel' not in chat(tmp_path / 'm', 'Ben', 'hello', 'What is my boat called?')


def test_a_task_that_is_taught_is_listed(tmp_path):
    assert 'breakfast' in chat(tmp_path / 'm', 'Ana', 'a new task called breakfast: give me the bowl', '/tasks')
    assert 'give me the bowl' in chat(tmp_path / 'm', 'Ben', '/tasks')


@pytest.mark.parametrize('line', ['stop', 'Halt!'])
def test_a_stop_ends_an_answer_that_is_being_made_at_once(tmp_path, monkeypatch, line):
    heard = []

    def slow(self, messages, options, *, on_text=None, cancelled=None):
        # As if it were typed while the model thinks.
        heard.append([room.hear('hello'), room.hear(line)])
        assert cancelled()
        raise ModelRetryable('the call was cancelled')

    with local_chat(tmp_path / 'm', 'Ana', embedding='none') as room:
        assert not room.hear(line)  # it is a line like any other where nothing is being answered
        with monkeypatch.context() as patch:
            patch.setattr(RuleBasedModel, 'chat', slow)
            told = shown(room, 'How are you today?')
        after = shown(room, 'hello')
    assert heard == [[False, True]]
    assert told.endswith('Lucca: [stopped]\n\n')
    assert 'Hello Ana.' in after


class Broken:
    """A room whose partner fails."""

    where = 'nowhere'

    def __init__(self, error: Exception) -> None:
        self.error = error

    def say(self, text, on_sentence) -> ChatAnswer:
        raise self.error


def test_an_error_is_shown_and_the_chat_goes_on_unless_the_stack_is_gone():
    assert shown(Broken(MemoryFault('disk [full]')), 'a', 'b').count('disk [full]') == 2
    with pytest.raises(StackError, match='gone'):
        shown(Broken(StackError('gone')), 'a')


def test_what_is_no_command_shows_the_commands(tmp_path):
    assert chat(tmp_path / 'm', 'Ana', '/feedback', '/what').count('/recall: what the last answer rests on') == 3
