"""Speech synthesised by espeak-ng on demand (no recording is stored), and fakes of a transcriber and a player."""

import os
import signal
import time
from functools import cache

import numpy as np

from lucca_core.errors import SpeechError
from lucca_core.protocol.speech import Samples
from lucca_lab.voice.noise import silence, with_noise
from lucca_lab.voice.stop_examples import PATIENCE_S
from speech_node.audio import CHUNK
from speech_node.interfaces import Chunk, Transcript
from speech_node.speaking.espeak_speaker import EspeakSpeaker


@cache
def _spoken(text: str, voice: str, speed: int) -> Samples:
    return EspeakSpeaker(voice, timeout_s=PATIENCE_S, words_per_minute=speed).synthesise(text)


def speak(text: str, voice: str = 'en-us', speed: int = 140, snr_db: float = 30.0, pad_s: float = 0.8) -> Samples:
    """A text with silence around it and noise over all of it; the same each time."""
    sound = np.concatenate([silence(pad_s), _spoken(text, voice, speed), silence(pad_s)])
    return with_noise(sound, snr_db, np.random.default_rng(len(text)))


def chunks(samples: Samples, start_s: float = 0.0) -> list[Chunk]:
    """Cuts sound into chunks; an unfinished last chunk is left out."""
    return [
        Chunk(samples[index : index + CHUNK], start_s + (index + CHUNK) / 16_000)
        for index in range(0, len(samples) - CHUNK + 1, CHUNK)
    ]


class ScriptedTranscriber:
    """A transcriber that returns or raises given answers, whatever it hears."""

    name = 'scripted'

    def __init__(self, *answers: Transcript | SpeechError) -> None:
        self.answers = list(answers)
        self.heard: list[Samples] = []
        self.closed = False

    def transcribe(self, samples: Samples) -> Transcript:
        self.heard.append(samples)
        answer = self.answers.pop(0)
        if isinstance(answer, SpeechError):
            raise answer
        return answer

    def close(self) -> None:
        self.closed = True


class FakePlayer:
    """A player that makes no sound; `playing` is set by the test."""

    def __init__(self) -> None:
        self.played: list[Samples] = []
        self.playing = False
        self.stops = 0
        self.closed = False
        self.sound = np.zeros(0, dtype=np.int16)

    def play(self, samples: Samples) -> None:
        self.played.append(samples)
        self.playing = True

    def stop(self) -> None:
        self.stops += 1
        self.playing = False

    def reference(self, start_s: float, count: int) -> Samples:
        found = np.zeros(count, dtype=np.int16)
        first = round(start_s * 16_000)
        part = self.sound[max(0, first) : max(0, first + count)]
        found[: len(part)] = part
        return found

    def close(self) -> None:
        self.closed = True


class OddTranscriber:
    """A transcriber that fails as the first sample says. It stands here because a child process imports this module."""

    name = 'odd'

    def transcribe(self, samples):
        if samples[0] == 1:
            raise SpeechError('cannot make it out')
        if samples[0] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        if samples[0] == 3:
            time.sleep(60)
        return Transcript(f'{len(samples)} samples', 0.5)

    def close(self):
        pass


def broken():
    """A factory that fails."""
    raise SpeechError('no model in /nowhere')
