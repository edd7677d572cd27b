"""What a command says and exits with where something goes wrong."""

import asyncio
import os
import signal

import pytest
import typer

from lucca_cli.exit_codes import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    EXIT_USAGE,
    ended_by_signals,
    run_until_told_to_end,
    telling_errors,
)
from lucca_cli.output import Output
from lucca_core.errors import StackError


def ended(error: BaseException, **settings) -> int:
    with pytest.raises(typer.Exit) as caught, telling_errors(Output(), **settings):
        raise error
    return caught.value.exit_code


def test_an_error_of_the_world_is_said_and_the_command_failed(capsys):
    assert ended(StackError('no stack is running')) == EXIT_FAILED
    assert 'no stack is running' in capsys.readouterr().err


def test_an_error_of_the_call_is_told_apart(capsys):
    assert ended(ValueError('scenes must not be negative'), wrong_call=ValueError) == EXIT_USAGE
    assert 'scenes must not be negative' in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(capsys, tmp_path):
    folder = tmp_path / ('long' * 40)
    folder.touch()
    with pytest.raises(typer.Exit) as caught, telling_errors(Output()):
        (folder / 'out').mkdir()
    assert caught.value.exit_code == EXIT_FAILED
    assert f'{folder / "out"}: Not a directory' in capsys.readouterr().err


@pytest.mark.parametrize(('goes_on', 'said'), [(False, 'interrupted\n'), (True, 'the same command goes on from here')])
def test_an_interrupted_command_says_whether_it_goes_on(capsys, goes_on, said):
    assert ended(KeyboardInterrupt(), goes_on=goes_on) == EXIT_INTERRUPTED
    assert said in capsys.readouterr().out


@pytest.mark.parametrize('error', [ValueError('a bug'), OSError('a bug'), typer.Exit(3)])
def test_a_bug_and_a_chosen_end_pass_through(error):
    with pytest.raises(type(error)) as caught, telling_errors(Output()):
        raise error
    assert caught.value is error


@pytest.fixture
def not_ignored(number):
    """The handler of a signal, set for a test: the tests themselves may run under nohup."""

    def handler(number, frame):
        pytest.fail('the signal reached the one who was there before')

    before = signal.signal(number, handler)
    yield handler
    signal.signal(number, before)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_what_is_within_in_order_and_a_second_one_does_not_break_that_off(number, not_ignored):
    cleaned = []

    def be_interrupted():
        with ended_by_signals():
            try:
                os.kill(os.getpid(), number)
                pytest.fail('it went on')
            finally:
                os.kill(os.getpid(), number)
                os.kill(os.getpid(), signal.SIGINT)
                cleaned.append(True)

    with pytest.raises(typer.Exit) as ended:
        be_interrupted()
    assert (ended.value.exit_code, cleaned) == (EXIT_TERMINATED, [True])
    assert signal.getsignal(number) is not_ignored


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_in_a_callback_of_an_event_loop_ends_it_too(number, not_ignored):
    """A loop takes what a handler raises there for a fault of the callback: a page went on with its stack gone."""

    cleaned = []

    async def serve():
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), number)
        try:
            await asyncio.Event().wait()
        finally:
            for again in (number, signal.SIGINT):
                os.kill(os.getpid(), again)
            await asyncio.get_running_loop().run_in_executor(None, os.getpid)
            cleaned.append('loop')

    def be_ended():
        with ended_by_signals():
            try:
                run_until_told_to_end(serve())
            finally:
                os.kill(os.getpid(), number)
                cleaned.append('around it')

    with pytest.raises(typer.Exit) as ended:
        be_ended()
    assert (ended.value.exit_code, cleaned) == (EXIT_TERMINATED, ['loop', 'around it'])
    assert signal.getsignal(number) is not_ignored


def test_a_hangup_that_is_ignored_as_under_nohup_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
