"""Speech synthesis with piper; its neural voices are local files."""

from pathlib import Path
from typing import Any

import numpy as np

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import resampled, scaled


class PiperSpeaker:
    """Speaks with a piper voice: a file `NAME.onnx` with `NAME.onnx.json` beside it.

    Raises:
        SpeechError: the package or the voice is missing, or the file is invalid.
    """

    def __init__(self, voice: str) -> None:
        try:
            from piper import PiperVoice
        except ImportError as error:
            raise SpeechError(f'the speaker piper needs: pip install piper-tts ({error})') from error
        file = Path(voice).expanduser()
        for needed in (file, Path(f'{file}.json')):
            if not needed.is_file():
                raise SpeechError(f'not a piper voice: {needed} is missing')
        self._spec = voice
        try:
            self._voice: Any = PiperVoice.load(file)
        except Exception as error:
            raise SpeechError(f'piper cannot load {voice!r}: {type(error).__name__}: {error}') from error

    @property
    def name(self) -> str:
        return f'piper:{self._spec}'

    def synthesise(self, text: str) -> Samples:
        try:
            parts = [(part.audio_int16_array, part.sample_rate) for part in self._voice.synthesize(text)]
        except Exception as error:
            raise SpeechError(f'{self.name} failed: {type(error).__name__}: {error}') from error
        if not parts:
            return np.zeros(0, dtype=np.int16)
        return scaled(resampled(np.concatenate([sound for sound, _ in parts]), parts[0][1]))
