"""Speech synthesis by a server that speaks OpenAI's protocol."""

import io

from lucca_core.protocol.speech import Samples
from lucca_llm.model import MOST_ANSWER_BYTES
from speech_node.audio import read_wav, scaled
from speech_node.openai_audio import OpenaiAudioServer

_VOICE = 'alloy'


class OpenaiSpeaker:
    """Synthesises with a server's `/audio/speech`."""

    def __init__(self, argument: str, *, timeout_s: float, answer_bytes: int = MOST_ANSWER_BYTES) -> None:
        self._server = OpenaiAudioServer('speech', argument, timeout_s, answer_bytes)

    @property
    def name(self) -> str:
        return self._server.name

    def synthesise(self, text: str) -> Samples:
        return self._server.call(
            lambda client: client.audio.speech.with_raw_response.create(
                model=self._server.model, voice=_VOICE, input=text, response_format='wav'
            ),
            lambda body: scaled(read_wav(io.BytesIO(body))),
        )
