"""Coroutines with a deadline."""

import asyncio
import threading
import time

import pytest

from lucca_core.errors import ModelRetryable, ModelTimeout
from lucca_llm.limits.deadline import background_loop, call_within, finish


async def _value(emit):
    emit('a')
    await asyncio.sleep(0)
    emit('b')
    return 7


async def _forever(emit):
    emit('begun')
    await asyncio.Event().wait()


def test_the_result_and_every_text_arrive_in_this_thread():
    heard = []
    result = call_within(_value, deadline_s=10, what='x', on_text=lambda t: heard.append((t, threading.get_ident())))
    assert result == 7
    assert heard == [('a', threading.get_ident()), ('b', threading.get_ident())]


def test_what_the_coroutine_raises_is_raised_here():
    async def fail(emit):
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        call_within(fail, deadline_s=10, what='x')


def test_a_passed_deadline_cancels_the_coroutine():
    ended = threading.Event()

    async def start(emit):
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(ModelTimeout, match=r'x did not answer within 0\.05 s'):
        call_within(start, deadline_s=0.05, what='x')
    assert ended.wait(5)


def test_a_coroutine_that_cannot_be_cancelled_does_not_hold_up_its_caller():
    release = threading.Event()

    async def stubborn(emit):
        await asyncio.get_running_loop().run_in_executor(None, release.wait, 10)

    started_s = time.monotonic()
    with pytest.raises(ModelTimeout):
        call_within(stubborn, deadline_s=0.05, what='x')
    assert time.monotonic() - started_s < 5
    release.set()


def test_cancelled_is_asked_while_waiting():
    heard = []
    with pytest.raises(ModelRetryable, match='x was cancelled'):
        call_within(_forever, deadline_s=10, what='x', on_text=heard.append, cancelled=lambda: bool(heard))


def test_what_is_cancelled_before_it_begins_returns_nothing():
    with pytest.raises(ModelRetryable, match='x was cancelled'):
        call_within(_value, deadline_s=10, what='x', cancelled=lambda: True)


def test_all_calls_share_one_loop():
    assert background_loop() is background_loop()


def test_tidying_up_raises_nothing():
    async def fail():
        raise OSError('gone')

    finish(fail())
