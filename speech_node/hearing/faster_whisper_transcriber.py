"""Whisper transcription with faster-whisper (CTranslate2), from a local folder or the Hugging Face hub."""

import math
import time

from lucca_core.errors import SpeechError
from lucca_core.model_folder import model_folder
from lucca_core.protocol.speech import Samples
from lucca_core.trained_models import WHISPER_TINY_EN as BROUGHT
from speech_node.audio import FULL_SCALE
from speech_node.interfaces import MOST_TOKENS, Transcript


class FasterWhisperTranscriber:
    """Whisper models in CTranslate2's format.

    Args:
        model: a folder, or a name such as `small.en`, which is downloaded; `tiny.en` is not, if it was brought by
            `lucca models get whisper-tiny.en`.
        language: ISO 639-1; empty to detect it.
        device: auto, cpu or cuda.

    Raises:
        SpeechError: the package or the model is missing, or the model is invalid.
    """

    def __init__(self, model: str, *, language: str = 'en', device: str = 'auto') -> None:
        # Checked before the import, which takes seconds.
        files = ('model.bin', 'config.json')
        brought = BROUGHT.path if f'faster-whisper:{model}' == BROUGHT.used_as and BROUGHT.is_there else model
        folder = model_folder(str(brought), files, SpeechError)
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise SpeechError(f'the transcriber faster-whisper needs: pip install faster-whisper ({error})') from error
        self._spec = model
        self._language = language or None
        try:
            self._model = WhisperModel(str(folder or model), device=device, compute_type='default')
        except Exception as error:
            raise SpeechError(f'faster-whisper cannot load {model!r}: {type(error).__name__}: {error}') from error

    @property
    def name(self) -> str:
        return f'faster-whisper:{self._spec}'

    def transcribe(self, samples: Samples) -> Transcript:
        started_s = time.monotonic()
        try:
            # A single temperature: by default it retries unclear sound at six temperatures, which takes a minute.
            segments, info = self._model.transcribe(
                (samples / FULL_SCALE).astype('float32'),
                language=self._language,
                beam_size=1,
                temperature=0.0,
                condition_on_previous_text=False,
                without_timestamps=True,
                max_new_tokens=MOST_TOKENS,
            )
            parts = list(segments)
        except Exception as error:
            raise SpeechError(f'{self.name} failed: {type(error).__name__}: {error}') from error
        text = ' '.join(part.text.strip() for part in parts)
        # Confidence of the least certain segment; no_speech_prob is the probability that nobody spoke.
        sure = min((math.exp(part.avg_logprob) * (1 - part.no_speech_prob) for part in parts), default=0.0)
        return Transcript(text, min(1.0, max(0.0, sure)), info.language or '', time.monotonic() - started_s)

    def close(self) -> None:
        del self._model
