"""Interfaces of the audio source, voice activity, transcriber, speaker, stop spotter and player, and their values."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK_S, RATE_HZ

MOST_TOKENS = 96
"""Longest transcript, in tokens: twelve seconds of very fast speech."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A block of `audio.CHUNK` recorded samples. `end_s`: monotonic time of the last sample."""

    samples: Samples
    end_s: float

    @property
    def start_s(self) -> float:
        """Monotonic time of the first sample."""
        return self.end_s - CHUNK_S


@dataclass(frozen=True, slots=True)
class UtteranceAudio:
    """The recording of one utterance, pre-roll included. `start_s` and `end_s` are monotonic times."""

    samples: Samples
    start_s: float
    end_s: float

    @property
    def audio_s(self) -> float:
        """Length of the recording, in s."""
        return len(self.samples) / RATE_HZ


class IntentKind(StrEnum):
    """The kinds of requests that a sentence can make."""

    START = 'start'
    RESUME = 'resume'
    CANCEL = 'cancel'
    ACT = 'act'
    GO_ON = 'go_on'
    ASK = 'ask'
    INTRODUCE = 'introduce'
    YES = 'yes'
    NO = 'no'

    @property
    def moves(self) -> bool:
        """True when the request may move the arms."""
        return self in (IntentKind.START, IntentKind.RESUME, IntentKind.ACT, IntentKind.GO_ON)


@dataclass(frozen=True, slots=True)
class Intent:
    """What a sentence asks for.

    `name` is the task, for ACT the action, for INTRODUCE the person. `thing` is the object of an action.
    """

    kind: IntentKind
    name: str = ''
    thing: str = ''

    def __str__(self) -> str:
        return ' '.join(filter(None, (self.kind, self.name, self.thing)))


@dataclass(frozen=True, slots=True)
class Transcript:
    """The transcription of one utterance.

    `confidence` is 0 to 1; an empty text means that nothing was understood. `language` is ISO 639-1, or empty where the
    transcriber does not report it. `transcription_s` is the wall time that it took. `intent` is what the sentence asks
    for, if the transcriber has a grammar.
    """

    text: str
    confidence: float
    language: str = ''
    transcription_s: float = 0.0
    intent: Intent | None = None


class AudioSource(Protocol):
    """A stream of recorded chunks of sound."""

    def read(self, timeout_s: float) -> Chunk | None:
        """Returns the next chunk, or None if none arrives within `timeout_s`.

        Raises:
            SpeechError: the device failed.
        """
        ...

    @property
    def ended(self) -> bool:
        """True if no more chunks will come."""
        ...

    def clear(self) -> None:
        """Discards chunks that have not been read."""
        ...

    def close(self) -> None:
        """Closes the device. No `read` may be in progress."""
        ...


class VoiceActivity(Protocol):
    """Detects speech in running sound."""

    def probability(self, samples: Samples) -> float:
        """Returns the probability, 0 to 1, that the next chunk contains speech."""
        ...

    def reset(self) -> None:
        """Forgets all earlier chunks."""
        ...


class Transcriber(Protocol):
    """Converts speech to text."""

    @property
    def name(self) -> str:
        """The spec by which it was chosen."""
        ...

    def transcribe(self, samples: Samples) -> Transcript:
        """Transcribes one utterance.

        Raises:
            SpeechError: transcription failed. Speech that is not understood is not an error.
        """
        ...

    def close(self) -> None:
        """Frees models and processes."""
        ...


class Speaker(Protocol):
    """Converts text to speech."""

    @property
    def name(self) -> str:
        """The spec by which it was chosen."""
        ...

    def synthesise(self, text: str) -> Samples:
        """Synthesises a text.

        Raises:
            SpeechError: synthesis failed.
        """
        ...


class StopSpotter(Protocol):
    """Detects stop words in running sound."""

    def hear(self, samples: Samples) -> float:
        """Returns the probability, 0 to 1, that a stop word just ended; `samples` continue those of the last call."""
        ...

    def reset(self) -> None:
        """Forgets all earlier samples."""
        ...


class Player(Protocol):
    """Plays sound, and remembers it as the reference for echo cancellation."""

    def play(self, samples: Samples) -> None:
        """Queues sound after what is already playing. Returns at once."""
        ...

    def stop(self) -> None:
        """Stops at once and discards the queue."""
        ...

    @property
    def playing(self) -> bool:
        """True while sound is playing or queued."""
        ...

    def reference(self, start_s: float, count: int) -> Samples:
        """Returns the `count` samples played from the monotonic time `start_s` on; zeros where nothing was played."""
        ...

    def close(self) -> None:
        """Closes the device."""
        ...
