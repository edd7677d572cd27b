"""Bounds on the bytes of any answer, and on the memory it takes."""

import gzip
import tracemalloc
import zlib
from dataclasses import replace

import pytest

from lucca_core.errors import ModelError, ModelRetryable
from lucca_llm.servers.embedder import HttpEmbedder
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.openai_model import OpenAIModel

MB = 1_000_000
BOMB_MB = 400
KINDS = {'openai': OpenAIModel, 'ollama': OllamaModel}


@pytest.fixture(params=sorted(KINDS))
def model(request, server):
    model = KINDS[request.param]('m', server.url)
    yield model
    model.close()


def _endless(handler, begin=b'', chunk=b'x' * 65_536):
    handler.send_response(200)
    handler.send_header('Content-Type', 'application/octet-stream')
    handler.send_header('Connection', 'close')
    handler.end_headers()
    handler.wfile.write(begin)
    for _ in range(BOMB_MB * MB // len(chunk)):
        handler.wfile.write(chunk)
    handler.close_connection = True


def _endless_error(handler):
    handler.send_response(500)
    handler.send_header('Content-Length', str(BOMB_MB * MB))
    handler.end_headers()
    for _ in range(BOMB_MB):
        handler.wfile.write(b'x' * MB)


def _bomb(encoding):
    packing = zlib.compressobj(9, wbits=31 if encoding == 'gzip' else 15)

    def packed():
        return packing.compress(b' ' * MB) + packing.flush(zlib.Z_FULL_FLUSH)

    # Each further piece is packed alike, as none refers to those before it. Nobody reads as far as the checksum.
    return packed() + packed() * (BOMB_MB - 1)


@pytest.fixture(scope='module')
def bombs():
    return {encoding: _bomb(encoding) for encoding in ('gzip', 'deflate')}


def _compressed(handler, bombs, encoding):
    handler.whole(200, bombs[encoding], {'Content-Encoding': encoding})


ATTACKS = {
    'an endless line': lambda handler, bombs: _endless(handler),
    'an endless event': lambda handler, bombs: _endless(handler, b'data: "'),
    'an endless error': lambda handler, bombs: _endless_error(handler),
    'a gzip bomb': lambda handler, bombs: _compressed(handler, bombs, 'gzip'),
    'a deflate bomb': lambda handler, bombs: _compressed(handler, bombs, 'deflate'),
}


def _grown_bytes(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize('attack', ATTACKS)
def test_a_bomb_ends_at_the_bound_and_memory_stays_flat(server, model, chat, options, bombs, attack):
    server.answer = lambda handler, body: ATTACKS[attack](handler, bombs)

    def call():
        with pytest.raises(ModelRetryable, match='longer than the 4000000 bytes'):
            model.chat(chat, options)

    assert _grown_bytes(call) < 60 * MB


def test_what_a_server_tells_of_a_model_is_bounded(server, chat, options):
    server.show = lambda handler, body: _endless(handler, b'{"license": "')
    model = OllamaModel('m', server.url)

    def call():
        with pytest.raises(ModelRetryable, match='longer than the 4000000 bytes'):
            model.chat(chat, options)

    assert _grown_bytes(call) < 60 * MB
    model.close()


def test_vectors_are_bounded(server):
    server.answer = lambda handler, body: _endless(handler, b'{"embeddings": [[')

    def call():
        with pytest.raises(ModelError, match='longer than the'):
            HttpEmbedder('ollama', 'm', server.url)

    assert _grown_bytes(call) < 60 * MB


def test_the_bound_is_that_of_the_call(server, model, chat, options):
    server.answer = lambda handler, body: handler.whole(200, b' ' * 5000)
    with pytest.raises(ModelRetryable, match='longer than the 1000 bytes'):
        model.chat(chat, replace(options, answer_bytes=1000))


def test_what_is_streamed_beside_the_text_is_bounded_too(server, chat, options):
    event = b'data: {"choices": [], "thoughts": "' + b'x' * 10_000 + b'"}\n\n'
    server.answer = lambda handler, body: _endless(handler, chunk=event)
    model = OpenAIModel('m', server.url)

    def call():
        with pytest.raises(ModelRetryable, match='longer than the 4000000 bytes'):
            model.chat(chat, options)

    assert _grown_bytes(call) < 60 * MB
    model.close()


def test_an_answer_that_is_sent_compressed_all_the_same_is_read(server, chat, options):
    body = b'{"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}'
    for encoding, packed in (('gzip', gzip.compress(body)), ('deflate', zlib.compress(body))):
        server.answer = lambda handler, _, p=packed, e=encoding: handler.whole(200, p, {'Content-Encoding': e})
        model = OpenAIModel('m', server.url)
        assert model.chat(chat, options).text == 'ok'
        model.close()
    assert server.chats[0].headers['accept-encoding'] == 'identity'


@pytest.mark.parametrize('encoding', ['br', 'gzip, gzip', 'nonsense'])
def test_another_encoding_than_was_asked_for_is_an_error(server, model, chat, options, encoding):
    server.answer = lambda handler, body: handler.whole(200, b'{}', {'Content-Encoding': encoding})
    with pytest.raises(ModelRetryable, match='asked not to compress'):
        model.chat(chat, options)
