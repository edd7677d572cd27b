"""Speech by a server, against one of our own on this machine."""

import gzip
import io
import json

import numpy as np
import pytest
from speech_server import SpeechServer

from lucca_core.errors import SpeechError
from speech_node.audio import write_wav
from speech_node.hearing.openai_transcriber import OpenaiTranscriber
from speech_node.speaking.openai_speaker import OpenaiSpeaker

SOUND = (np.random.default_rng(0).normal(size=8000) * 900).astype(np.int16)


@pytest.fixture
def server():
    server = SpeechServer()
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


ODD_TEXTS = [
    b'What was said.',
    b'',
    b'[' * 200_000,
    b'{"text": null}',
    b'{"text": 7}',
    b'{"text": ["a"]}',
    b'{"text": "a", "segments": 7}',
    b'{"text": "a", "segments": [{"avg_logprob": "sure"}]}',
    b'{"text": "a", "segments": [{"avg_logprob": NaN}]}',
    b'{"text": "a", "language": 7}',
    b'{"text": "\\ud800"}',
    b'\xff\xfe',
    b'{"error": "busy"}',
]


@pytest.mark.parametrize('kind', ['application/json', 'text/plain'])
@pytest.mark.parametrize('body', ODD_TEXTS, ids=lambda body: repr(body[:30]))
def test_an_answer_of_another_form_is_an_error_with_a_reason(server, body, kind):
    server.body, server.kind = body, kind
    with pytest.raises(SpeechError, match='unreadable answer'):
        transcriber(server).transcribe(SOUND)


def test_confidence_stays_within_0_and_1_whatever_the_server_says(server):
    server.body = b'{"text": "a", "segments": [{"avg_logprob": 900.0, "no_speech_prob": -7}, {"avg_logprob": -0.5}]}'
    assert 0 <= transcriber(server).transcribe(SOUND).confidence <= 1


@pytest.mark.parametrize('wish', ['Fri, 31 Dec 99999999 23:59:59 GMT', '1e999', '-1', 'soon'])
def test_an_odd_wish_to_wait_is_no_error_of_its_own(server, wish):
    server.status, server.headers = 503, {'Retry-After': wish}
    with pytest.raises(SpeechError, match='503'):
        transcriber(server).transcribe(SOUND)


@pytest.mark.parametrize('status', [301, 302, 307, 308])
def test_what_was_heard_is_posted_to_nobody_else(server, status):
    other = SpeechServer()
    server.status = status
    server.headers = {'Location': other.spec.partition('@')[2] + '/v1/audio/transcriptions'}
    with pytest.raises(SpeechError, match='redirects are not followed'):
        transcriber(server).transcribe(SOUND)
    with pytest.raises(SpeechError, match='redirects are not followed'):
        OpenaiSpeaker(server.spec, timeout_s=20.0).synthesise('Hello.')
    asked = other.asked
    other.close()
    assert not asked


def test_sound_and_text_have_a_bound_in_bytes(server):
    server.body = gzip.compress(b'\0' * 50_000_000)
    server.headers = {'Content-Encoding': 'gzip'}
    with pytest.raises(SpeechError, match='longer than the 4000000 bytes'):
        transcriber(server).transcribe(SOUND)
    with pytest.raises(SpeechError, match='longer than the 9000 bytes'):
        OpenaiSpeaker(server.spec, timeout_s=20.0, answer_bytes=9000).synthesise('Hello.')


def test_a_key_in_what_was_understood_is_not_passed_on(server, monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-very-secret')
    server.body = b'{"text": "it is sk-very-secre, they say", "language": "sk-very-secret"}'
    heard = transcriber(server).transcribe(SOUND)
    assert heard.text == 'it is [key], they say'
    assert heard.language == '[key]'
