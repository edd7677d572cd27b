"""What the parts of hearing and speaking are to each other: small protocols, and the values between them."""

from dataclasses import dataclass
from typing import Protocol

from speech_node.audio import CHUNK_S, RATE_HZ, Samples


@dataclass(frozen=True, slots=True)
class Chunk:
    """`audio.CHUNK` samples as they came in. `end_s`: monotonic time at which the last of them was there."""

    samples: Samples
    end_s: float

    @property
    def start_s(self) -> float:
        """Monotonic time of the first sample."""
        return self.end_s - CHUNK_S


@dataclass(frozen=True, slots=True)
class UtteranceAudio:
    """Something said, from the pre-roll to the last sound. `start_s` and `end_s` are monotonic times."""

    samples: Samples
    start_s: float
    end_s: float

    @property
    def audio_s(self) -> float:
        """Its length, in s."""
        return len(self.samples) / RATE_HZ


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a transcriber made of a segment. `confidence` is 0 to 1; an empty text means that nothing was understood.

    `language`: ISO 639-1, empty where the transcriber does not say. `transcription_s`: wall time it took.
    """

    text: str
    confidence: float
    language: str = ''
    transcription_s: float = 0.0


class AudioSource(Protocol):
    """Where sound comes from."""

    def read(self, timeout_s: float) -> Chunk | None:
        """The next chunk, or None when none came within `timeout_s`.

        Raises:
            SpeechError: the device failed.
        """
        ...

    @property
    def ended(self) -> bool:
        """True when nothing will come any more."""
        ...

    def clear(self) -> None:
        """Forgets what has come and was not read."""
        ...

    def close(self) -> None:
        """Lets go of the device. No `read` may be waiting."""
        ...


class VoiceActivity(Protocol):
    """Says whether somebody speaks."""

    def probability(self, samples: Samples) -> float:
        """How likely it is, 0 to 1, that a chunk that follows the last one holds speech."""
        ...

    def reset(self) -> None:
        """Forgets what came before."""
        ...


class Transcriber(Protocol):
    """Speech to text."""

    @property
    def name(self) -> str:
        """The spec that chose it."""
        ...

    def transcribe(self, samples: Samples) -> Transcript:
        """What was said.

        Raises:
            SpeechError: it cannot be told. Not understanding is no error.
        """
        ...

    def close(self) -> None:
        """Lets go of models and processes."""
        ...


class Speaker(Protocol):
    """Text to speech."""

    @property
    def name(self) -> str:
        """The spec that chose it."""
        ...

    def synthesise(self, text: str) -> Samples:
        """A text as sound.

        Raises:
            SpeechError: it could not be made.
        """
        ...


class StopSpotter(Protocol):
    """Hears the stop word in running sound."""

    def hear(self, samples: Samples) -> float:
        """How likely it is, 0 to 1, that a stop word has just been said; `samples` follow those of the last call."""
        ...

    def reset(self) -> None:
        """Forgets what came before."""
        ...


class Player(Protocol):
    """Plays sound, and tells what it plays: the reference of echo cancellation."""

    def play(self, samples: Samples) -> None:
        """Plays after what is played already. Returns at once."""
        ...

    def stop(self) -> None:
        """Falls silent at once and forgets what was still to be played."""
        ...

    @property
    def playing(self) -> bool:
        """True while there is sound."""
        ...

    def reference(self, start_s: float, count: int) -> Samples:
        """What was played in `count` samples from the monotonic time `start_s` on; zeros where nothing was."""
        ...

    def close(self) -> None:
        """Lets go of the device."""
        ...
