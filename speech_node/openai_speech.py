"""Speech to text and text to speech by a server that speaks OpenAI's protocol."""

import io
import math
import time
from collections.abc import Awaitable, Callable
from typing import Any

import openai

from lucca_core.errors import ConfigError, ModelError, SpeechError
from lucca_llm.deadline import Emit, call_within
from lucca_llm.endpoint import parse_endpoint
from lucca_llm.openai_client import OPENAI_URL
from lucca_llm.openai_errors import mapped_openai_error
from lucca_llm.secret import key_from_environment
from speech_node.audio import Samples, read_wav, scaled, write_wav
from speech_node.ports import Transcript

DEFAULT_VOICE = 'alloy'


class _Server:
    """Calls of one server, each within a deadline that is really kept. Keys as lucca_llm's client for chats has them."""

    def __init__(self, kind: str, argument: str, timeout_s: float) -> None:
        self.model, _, url = argument.partition('@')
        if not self.model:
            raise ConfigError('openai needs a model, as in openai:whisper-1@http://localhost:8000')
        self._endpoint = parse_endpoint(url or OPENAI_URL, default_path='/v1')
        encrypted = self._endpoint.is_https or self._endpoint.is_loopback
        names = ('LUCCA_OPENAI_API_KEY', 'OPENAI_API_KEY') if encrypted else ('LUCCA_OPENAI_API_KEY',)
        self._key = key_from_environment(names)
        self._timeout_s = timeout_s
        self.name = f'openai:{self.model}@{self._endpoint.url}'
        self._what = f'{kind} by {self.name}'

    def call(self, ask: Callable[[openai.AsyncOpenAI], Awaitable[Any]]) -> Any:
        """What `ask` gets from the client.

        Raises:
            SpeechError: the server did not answer in time, or with an error.
        """

        async def answer(_: Emit) -> Any:
            # The client reads proxies from the environment; to this machine there is none.
            http = openai.DefaultAsyncHttpxClient(trust_env=not self._endpoint.is_loopback)
            async with openai.AsyncOpenAI(
                base_url=self._endpoint.url, api_key=self._key.reveal() or 'none', max_retries=0, http_client=http
            ) as client:
                return await ask(client)

        try:
            self._endpoint.require_allowed()
            return call_within(answer, deadline_s=self._timeout_s, what=self._what)
        except ModelError as error:
            raise SpeechError(str(error)) from error
        except openai.OpenAIError as error:
            mapped = mapped_openai_error(error, self.name, self._key)
            cause = None if self._key.is_in(error) else error
        raise SpeechError(f'{self._what}: {mapped}') from cause


class OpenaiTranscriber:
    """`/audio/transcriptions` of a server."""

    def __init__(self, argument: str, *, language: str, timeout_s: float) -> None:
        self._server = _Server('transcription', argument, timeout_s)
        self._language = language

    @property
    def name(self) -> str:
        return self._server.name

    def transcribe(self, samples: Samples) -> Transcript:
        started_s = time.monotonic()
        file = io.BytesIO()
        write_wav(file, samples)
        options: dict[str, Any] = {'language': self._language} if self._language else {}
        answer = self._server.call(
            lambda client: client.audio.transcriptions.create(
                file=('utterance.wav', file.getvalue(), 'audio/wav'),
                model=self._server.model,
                response_format='verbose_json',
                temperature=0.0,
                **options,
            )
        )
        segments = getattr(answer, 'segments', None) or []
        sure = min((math.exp(part.avg_logprob) * (1 - part.no_speech_prob) for part in segments), default=1.0)
        # Servers that give no segments give no confidence either; what they understood is taken as such.
        text = str(answer.text).strip()
        language = str(getattr(answer, 'language', '') or self._language)
        return Transcript(text, min(1.0, max(0.0, sure)) if text else 0.0, language, time.monotonic() - started_s)

    def close(self) -> None:
        """Each call has a connection of its own."""


class OpenaiSpeaker:
    """`/audio/speech` of a server."""

    def __init__(self, argument: str, *, timeout_s: float, voice: str = DEFAULT_VOICE) -> None:
        self._server = _Server('speech', argument, timeout_s)
        self._voice = voice

    @property
    def name(self) -> str:
        return self._server.name

    def synthesise(self, text: str) -> Samples:
        answer = self._server.call(
            lambda client: client.audio.speech.create(
                model=self._server.model, voice=self._voice, input=text, response_format='wav'
            )
        )
        return scaled(read_wav(io.BytesIO(answer.content)))
