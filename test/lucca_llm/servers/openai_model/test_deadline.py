"""Deadline and cancellation of OpenAIModel's calls, whatever the server does."""

import time

import pytest

from lucca_core.errors import ModelRetryable, ModelTimeout
from lucca_llm.model import ChatOptions

SHORT = ChatOptions(deadline_s=0.3)


def _answers_after_two_seconds(handler, body):
    handler.stall(2.0)
    handler.openai_stream(['late'])


def _stalls_in_the_stream(handler, body):
    handler.start('text/event-stream')
    handler.chunk('<gi')
    handler.stall()


def _trickles(handler, body):
    handler.start('text/event-stream')
    while not handler.server.model_server.over.wait(0.05):
        handler.write(':')


def _trickles_headers(handler, body):
    handler.wfile.write(b'HTTP/1.1 200 OK\r\n')
    while not handler.server.model_server.over.wait(0.05):
        handler.write('X-A: b\r\n')


@pytest.mark.parametrize('answer', [_answers_after_two_seconds, _stalls_in_the_stream, _trickles, _trickles_headers])
def test_the_deadline_is_kept_and_the_connection_closed(server, model, chat, answer):
    server.answer = answer
    started_s = time.monotonic()
    with pytest.raises(ModelTimeout, match=r'within 0\.3 s'):
        model.chat(chat, SHORT)
    assert 0.25 < time.monotonic() - started_s < 1.5
    if answer is not _answers_after_two_seconds and answer is not _stalls_in_the_stream:
        assert server.client_left.wait(5.0)


def test_a_model_works_again_after_a_timeout(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    with pytest.raises(ModelTimeout):
        model.chat(chat, SHORT)
    server.answer = lambda handler, body: handler.openai_stream(['<give(pear)>'])
    assert model.chat(chat, options).text == '<give(pear)>'


def test_a_cancel_in_mid_call_ends_it(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    heard = []
    started_s = time.monotonic()
    with pytest.raises(ModelRetryable, match='cancelled'):
        model.chat(chat, options, on_text=heard.append, cancelled=lambda: bool(heard))
    assert time.monotonic() - started_s < 5


def test_an_error_of_the_callers_on_text_comes_back_to_the_caller(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    with pytest.raises(KeyError, match='mine'):
        model.chat(chat, options, on_text=lambda text: {}['mine'])
