"""Embeddings from a real HTTP server on this machine."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from lucca_core.errors import ConfigError, ModelError, ModelRetryable, ModelUnusable
from lucca_llm.servers.embedder import HttpEmbedder, make_http_embedder


@pytest.fixture
def embedding_server():
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
            self.server.seen.append((self.path, body))
            status, answer = self.server.answer(body['input'])
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header('Content-Length', str(len(data)))
            self.send_header('Location', '/elsewhere')
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.seen = []
    server.answer = lambda texts: (200, {'embeddings': [[3.0, 4.0] for _ in texts]})
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _url(server):
    return f'http://127.0.0.1:{server.server_address[1]}'


def test_ollama_vectors_have_length_one(embedding_server):
    embedder = make_http_embedder(f'ollama:all-minilm@{_url(embedding_server)}')
    np.testing.assert_allclose(embedder.embed(['a', 'b']), [[0.6, 0.8]] * 2)
    assert (embedder.dimensions, embedder.embed([]).shape) == (2, (0, 2))
    assert embedding_server.seen[-1] == ('/api/embed', {'model': 'all-minilm', 'input': ['a', 'b']})
    embedder.close()


def test_openai_vectors_come_in_the_order_of_their_index(embedding_server):
    def answer(texts):
        rows = [{'index': number, 'embedding': [float(number), 1.0]} for number in range(len(texts))]
        return 200, {'data': rows[::-1]}

    embedding_server.answer = answer
    embedder = make_http_embedder(f'openai:m@{_url(embedding_server)}')
    np.testing.assert_allclose(embedder.embed(['a', 'b']), [[0, 1], [0.5**0.5, 0.5**0.5]], atol=1e-6)
    assert embedding_server.seen[-1][0] == '/v1/embeddings'
    embedder.close()


@pytest.mark.parametrize(
    ('status', 'answer', 'kind'),
    [
        (503, {}, ModelRetryable),
        (404, {'error': 'no such model'}, ModelUnusable),
        (200, {'embeddings': [[1.0]] * 5}, ModelRetryable),
        (200, {'embeddings': [[None]]}, ModelRetryable),
        (200, {'other': 1}, ModelRetryable),
    ],
)
def test_failures_say_whether_to_ask_again(embedding_server, status, answer, kind):
    embedding_server.answer = lambda texts: (status, answer)
    with pytest.raises(kind):
        make_http_embedder(f'ollama:m@{_url(embedding_server)}')


@pytest.mark.parametrize(
    ('protocol', 'status', 'answer', 'match'),
    [
        ('ollama', 404, {'error': 'model "m" not found, try pulling it first'}, '`ollama pull m`'),
        ('ollama', 404, {'detail': 'Not Found'}, 'not the URL of an Ollama server.*: Not Found$'),
        ('ollama', 401, {'error': 'unauthorized'}, 'set OLLAMA_API_KEY .*: unauthorized$'),
        ('openai', 401, {'detail': 'Invalid API key'}, 'set OPENAI_API_KEY .*: Invalid API key$'),
        ('openai', 404, {'detail': 'Not Found'}, 'does it end in /v1.*: Not Found$'),
        ('openai', 500, {'error': {'message': 'made without embedding=True'}}, '500: made without embedding=True$'),
    ],
)
def test_a_refusal_says_what_to_do(embedding_server, protocol, status, answer, match):
    embedding_server.answer = lambda texts: (status, answer)
    with pytest.raises(ModelError, match=match):
        make_http_embedder(f'{protocol}:m@{_url(embedding_server)}')


def test_https_to_a_server_without_it_says_so(embedding_server):
    with pytest.raises(ModelUnusable, match='does not speak https; write http://'):
        make_http_embedder(f'ollama:m@{_url(embedding_server).replace("http:", "https:")}')


@pytest.mark.parametrize('protocol', ['ollama', 'openai'])
@pytest.mark.parametrize('status', [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(embedding_server, protocol, status):
    embedding_server.answer = lambda texts: (status, {})
    with pytest.raises(ModelUnusable, match=f'HTTP {status}: the server is elsewhere; redirects are not followed'):
        make_http_embedder(f'{protocol}:m@{_url(embedding_server)}')
    assert [path for path, _ in embedding_server.seen] == ['/api/embed' if protocol == 'ollama' else '/v1/embeddings']


def test_servers_elsewhere_and_other_specs_are_refused():
    with pytest.raises(ModelUnusable, match='turned off'):
        make_http_embedder('ollama:m@http://example.org')
    with pytest.raises(ConfigError, match='no embedding server'):
        make_http_embedder('word2vec:m')


@pytest.mark.parametrize(
    'answer',
    [
        {'embeddings': [['3.0', '4.0']]},
        {'embeddings': [[float('nan'), 1.0]]},
        {'embeddings': [[10**400, 1.0]]},
        {'embeddings': [[]]},
        {'embeddings': []},
        {'embeddings': [[1.0], [2.0]]},
        {'embeddings': [[[1.0]]]},
        {'embeddings': 7},
        {},
        [],
        None,
        7,
    ],
    ids=repr,
)
def test_vectors_of_another_form_are_an_error_with_a_reason(embedding_server, answer):
    embedding_server.answer = lambda texts: (200, answer)
    with pytest.raises(ModelRetryable, match='unreadable answer'):
        make_http_embedder(f'ollama:m@http://127.0.0.1:{embedding_server.server_port}')


def test_an_openai_key_is_not_sent_in_the_clear_to_another_machine(monkeypatch):
    monkeypatch.setenv('LUCCA_ALLOW_MODEL_REQUESTS', '1')
    monkeypatch.setattr(HttpEmbedder, '_ask', lambda self, texts, deadline: np.ones((len(texts), 2), np.float32))
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-0123456789')
    assert 'authorization' not in HttpEmbedder('openai', 'm', 'http://192.0.2.1/v1')._client.headers
    assert 'authorization' in HttpEmbedder('openai', 'm', 'https://192.0.2.1/v1')._client.headers
