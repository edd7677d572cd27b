"""Response times of a conversation: until the transcript, the first word of the answer and the first motion."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lucca_core.protocol.speech import Samples
from speech_node.audio import RATE_HZ
from speech_node.interfaces import Transcript

_HEARD = 0.05
"""The share of the peak above which a sample of speech is audible."""


@dataclass(frozen=True)
class Turn:
    """One utterance to the robot. All times are in s after its last sound; None means that it has not happened.

    `pause_s` and `transcription_s` are parts of `text_s`: the silence that marks the end of an utterance, and the time
    of the recogniser. The rest is the stack's own share.
    """

    said: str
    text_s: float | None = None
    pause_s: float = 0.0
    transcription_s: float = 0.0
    first_word_s: float | None = None
    first_motion_s: float | None = None

    @property
    def own_s(self) -> float | None:
        """The part of `text_s` that is neither pause nor recognition: voice activity, transport and the node."""
        return None if self.text_s is None else self.text_s - self.pause_s - self.transcription_s


class Turns:
    """Notes the times of each turn. Safe to use from several threads. Times are monotonic (s).

    Args:
        pause_s: the silence that ends an utterance.
    """

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self._lock = threading.Lock()
        self._done: list[Turn] = []
        self._said: Turn | None = None
        self._ended_s: float | None = None
        self._waiting: list[tuple[str, float]] = []

    def said(self, text: str) -> None:
        """Begins a new turn: a person starts to say something."""
        with self._lock:
            self._close()
            self._said = Turn(text, pause_s=self._pause_s)

    def ended(self, at_s: float) -> None:
        """Notes the time of the utterance's last sound."""
        with self._lock:
            self._ended_s = at_s
            for name, then_s in self._waiting:
                self._note(name, then_s)
            self._waiting = []

    def heard(self, transcript: Transcript, at_s: float) -> None:
        """Notes the utterance's transcript."""
        with self._lock:
            if self._said is not None and self._said.text_s is None:
                self._said = replace(self._said, transcription_s=transcript.transcription_s)
                self._came('text_s', at_s)

    def sounded(self, samples: Samples, at_s: float) -> None:
        """Notes a chunk that the robot plays. Only the first chunk that is not silent counts."""
        if np.any(samples):
            with self._lock:
                self._came('first_word_s', at_s)

    def moved(self, at_s: float) -> None:
        """Notes that an arm was told to move. Motion before the transcript is ignored: it answers another utterance."""
        with self._lock:
            if self._said is not None and self._said.text_s is not None:
                self._came('first_motion_s', at_s)

    def all(self) -> tuple[Turn, ...]:
        """Every turn so far."""
        with self._lock:
            return (*self._done, *([self._said] if self._said is not None else []))

    def _came(self, name: str, at_s: float) -> None:
        if self._ended_s is None:
            # Sounds and texts may arrive before the end of the utterance is known.
            self._waiting.append((name, at_s))
        else:
            self._note(name, at_s)

    def _note(self, name: str, at_s: float) -> None:
        assert self._ended_s is not None
        if self._said is not None and getattr(self._said, name) is None and at_s >= self._ended_s:
            came: dict[str, Any] = {name: round(at_s - self._ended_s, 3)}
            self._said = replace(self._said, **came)

    def _close(self) -> None:
        if self._said is not None:
            self._done.append(self._said)
        self._said, self._ended_s, self._waiting = None, None, []


def quiet_end_s(samples: Samples) -> float:
    """Length of the silence at the end of a sound (s)."""
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _HEARD * np.abs(samples.astype(np.int32)).max(initial=1))
    return (len(samples) - 1 - int(loud[-1])) / RATE_HZ if len(loud) else len(samples) / RATE_HZ


def lines(turns: Sequence[Turn]) -> list[str]:
    """The table of all turns for people to read."""
    head = f'{"after the last sound, in ms":<28}{"text":>8}{"pause":>8}{"recogn.":>8}{"own":>8}{"word":>8}{"motion":>8}'
    return [head, *(_line(turn) for turn in turns)]


def _line(turn: Turn) -> str:
    parts: list[float | None] = [turn.text_s, turn.pause_s, turn.transcription_s, turn.own_s]
    if turn.text_s is None:
        parts = [None] * 4
    parts += [turn.first_word_s, turn.first_motion_s]
    return f'{turn.said[:27]:<28}' + ''.join(f'{"-" if part is None else f"{1e3 * part:.0f}":>8}' for part in parts)
