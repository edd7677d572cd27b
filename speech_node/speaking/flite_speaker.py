"""Speech synthesis with the program flite: voices made of recordings of people, small, fast and offline."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import read_wav, scaled
from speech_node.speaking.espeak_speaker import MOST_CHARS
from speech_node.speaking.speaking_program import run

PROGRAM = 'flite'
ORDINARY_SPEED = 170
"""Words per minute of flite's voices, about."""


class FliteSpeaker:
    """Speaks with flite.

    Args:
        voice: as in `flite -lv`.
        timeout_s: time limit of one text, in s.
        words_per_minute: speed, about.

    Raises:
        SpeechError: flite is not installed, does not answer, or does not have the voice.
    """

    def __init__(self, voice: str = 'slt', *, timeout_s: float, words_per_minute: int = ORDINARY_SPEED) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise SpeechError('flite is not installed; run: sudo apt-get install flite')
        self._voice = voice
        self._timeout_s = timeout_s
        self._command = [
            program,
            '-voice',
            voice,
            '--setf',
            f'duration_stretch={ORDINARY_SPEED / words_per_minute:.3f}',
        ]
        # flite says nothing about a voice that it does not have, and speaks with another one.
        told = self._run([program, '-lv'])
        voices = re.sub(r'^.*?:', '', told).split()
        if voice not in voices:
            raise SpeechError(f'flite has no voice {voice!r}; it has {", ".join(voices) or "none"}')

    @property
    def name(self) -> str:
        return f'flite:{self._voice}'

    def synthesise(self, text: str) -> Samples:
        with TemporaryDirectory() as folder:
            file = Path(folder) / 'speech.wav'
            self._run([*self._command, '-o', str(file), '-t', text[:MOST_CHARS]])
            if not file.is_file():
                raise SpeechError(f'{self.name} returned no audio')
            return scaled(read_wav(file))

    def _run(self, command: list[str]) -> str:
        return run(command, name=self.name, timeout_s=self._timeout_s).stdout.decode(errors='replace')
