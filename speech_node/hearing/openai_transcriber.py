"""Transcription by a server that speaks OpenAI's protocol."""

import io
import math
import time
from typing import Any

from lucca_core.protocol.speech import Samples
from lucca_llm.model import MOST_ANSWER_BYTES
from lucca_llm.servers.response_schema import SpeechSegment, SpokenText, read_as
from speech_node.audio import write_wav
from speech_node.interfaces import Transcript
from speech_node.openai_audio import OpenaiAudioServer


class OpenaiTranscriber:
    """Transcribes with a server's `/audio/transcriptions`."""

    def __init__(
        self, argument: str, *, language: str, timeout_s: float, answer_bytes: int = MOST_ANSWER_BYTES
    ) -> None:
        self._server = OpenaiAudioServer('transcription', argument, timeout_s, answer_bytes)
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
            lambda client: client.audio.transcriptions.with_raw_response.create(
                file=('utterance.wav', file.getvalue(), 'audio/wav'),
                model=self._server.model,
                response_format='verbose_json',
                temperature=0.0,
                **options,
            ),
            lambda body: read_as(SpokenText, body),
        )
        # A server that reports no segments reports no confidence either; its text counts as certain.
        sure = min(map(_confidence, answer.segments or ()), default=1.0)
        text = self._server.hide_key(answer.text).strip()
        language = self._server.hide_key(answer.language or '') or self._language
        return Transcript(text, sure if text else 0.0, language, time.monotonic() - started_s)

    def close(self) -> None:
        """Does nothing: each call opens its own connection."""


def _confidence(segment: SpeechSegment) -> float:
    """The server's confidence in a segment, 0 to 1."""
    heard = math.exp(min(0.0, segment.avg_logprob or 0.0))
    return heard * (1 - min(1.0, max(0.0, segment.no_speech_prob or 0.0)))
