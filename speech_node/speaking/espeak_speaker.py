"""Speech synthesis with the program espeak-ng: small, fast and offline, with many voices."""

import io
import shutil
from pathlib import Path

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from speech_node.audio import read_wav, scaled
from speech_node.speaking.speaking_program import run

PROGRAM = 'espeak-ng'
MOST_CHARS = 2000
_ALIASES = {'en-gb': 'en'}
"""Other names of voices: espeak-ng 1.51 ignores a variant unless the voice is called by this other name."""


class EspeakSpeaker:
    """Speaks with espeak-ng.

    Args:
        voice: as in `espeak-ng --voices`, with a variant after `+`.
        timeout_s: time limit of one text, in s.
        words_per_minute: speed, 80 to 450.
        pitch: 0 to 99.
        data: folder with another `espeak-ng-data`, for custom voices; None for the installed one.

    Raises:
        SpeechError: espeak-ng is not installed.
    """

    def __init__(
        self,
        voice: str = 'en-us',
        *,
        timeout_s: float,
        words_per_minute: int = 150,
        pitch: int = 50,
        data: Path | None = None,
    ) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise SpeechError('espeak-ng is not installed; run: sudo apt-get install espeak-ng')
        self._voice = voice
        self._timeout_s = timeout_s
        accent, plus, variant = voice.partition('+')
        spoken = f'{_ALIASES.get(accent, accent)}{plus}{variant}'
        self._command = [program, '-v', spoken, '-s', str(words_per_minute), '-p', str(pitch), '--stdin', '--stdout']
        self._command += [f'--path={data}'] if data is not None else []

    @property
    def name(self) -> str:
        return f'espeak-ng:{self._voice}'

    def synthesise(self, text: str) -> Samples:
        done = run(self._command, name=self.name, timeout_s=self._timeout_s, text=text[:MOST_CHARS])
        if not done.stdout:
            raise SpeechError(f'espeak-ng returned no audio: {done.stderr.decode(errors="replace").strip()}')
        return scaled(read_wav(io.BytesIO(done.stdout)))
