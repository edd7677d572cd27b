"""Speech by a server, against one of our own on this machine."""

import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from lucca_core.errors import SpeechError
from speech_node.audio import write_wav
from speech_node.openai_speech import OpenaiSpeaker, OpenaiTranscriber

SOUND = (np.random.default_rng(0).normal(size=8000) * 900).astype(np.int16)


class Server:
    """Answers what the test sets, and keeps what it was asked."""

    def __init__(self):
        self.asked = []
        self.status, self.body, self.kind = 200, b'{}', 'application/json'
        self.hang = threading.Event()
        self.hangs = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                outer.asked.append(
                    (self.path, dict(self.headers), self.rfile.read(int(self.headers['content-length'])))
                )
                if outer.hangs:
                    outer.hang.wait(20)
                self.send_response(outer.status)
                self.send_header('content-type', outer.kind)
                self.send_header('content-length', str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.spec = f'whisper-1@http://127.0.0.1:{self._server.server_port}'

    def close(self):
        self.hang.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def transcriber(server, timeout_s=20.0):
    return OpenaiTranscriber(server.spec, language='en', timeout_s=timeout_s)


def test_what_was_said_comes_back_with_confidence_and_language(server):
    segments = [{'avg_logprob': -0.1, 'no_speech_prob': 0.05}, {'avg_logprob': -0.5, 'no_speech_prob': 0.1}]
    server.body = json.dumps({'text': ' Build a tower. ', 'language': 'english', 'segments': segments}).encode()
    heard = transcriber(server).transcribe(SOUND)
    assert heard.text == 'Build a tower.'
    assert heard.confidence == pytest.approx(np.exp(-0.5) * 0.9, abs=1e-6)
    path, _, body = server.asked[0]
    assert path == '/v1/audio/transcriptions'
    assert b'RIFF' in body
    assert b'whisper-1' in body


def test_nothing_said_is_no_error(server):
    server.body = json.dumps({'text': '', 'language': 'english'}).encode()
    assert transcriber(server).transcribe(SOUND).confidence == 0.0


@pytest.mark.parametrize(('status', 'match'), [(401, 'key'), (500, '500'), (404, '404')])
def test_an_error_of_the_server_is_told(server, status, match, monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-very-secret')
    server.status, server.body = status, b'{"error": {"message": "you sent sk-very-secret"}}'
    with pytest.raises(SpeechError, match=match) as caught:
        transcriber(server).transcribe(SOUND)
    assert 'sk-very-secret' not in str(caught.value)


def test_a_server_that_hangs_is_left_in_time(server):
    server.hangs = True
    with pytest.raises(SpeechError, match=r'did not answer within 0\.5 s'):
        transcriber(server, timeout_s=0.5).transcribe(SOUND)


def test_a_text_becomes_sound(server):
    file = io.BytesIO()
    write_wav(file, SOUND)
    server.body, server.kind = file.getvalue(), 'audio/wav'
    sound = OpenaiSpeaker(server.spec, timeout_s=20.0).synthesise('Hello.')
    assert len(sound) == len(SOUND)
    assert json.loads(server.asked[0][2])['input'] == 'Hello.'


def test_an_answer_that_is_no_sound_is_refused(server):
    server.kind = 'audio/wav'
    with pytest.raises(SpeechError, match='cannot be read as WAV'):
        OpenaiSpeaker(server.spec, timeout_s=20.0).synthesise('Hello.')
