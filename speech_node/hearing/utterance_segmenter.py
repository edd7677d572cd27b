"""Cuts running sound into things said: where speech begins, with some sound before it, and where it has ended.

A voice-activity model follows the sound by up to 160 ms at the end of speech, the more the noisier it is. So the pause is
counted from the last chunk that the model takes for speech and that is louder than what came after it.
"""

from collections import deque
from enum import Enum, auto

import numpy as np

from speech_node.audio import CHUNK_S, Samples
from speech_node.config import SpeechConfig
from speech_node.interfaces import Chunk, UtteranceAudio


class SegmenterState(Enum):
    """What a chunk was to the segmenter."""

    NONE = auto()
    STARTED = auto()


_HANGING = 4
"""Chunks at the end of what the model takes for speech that may have been none, at most, and at most a third of the pause."""
_ABOVE_REST = 2.0
"""Power of speech over what comes after it: 3 dB. White noise of the same level varies by a tenth of that from chunk to chunk."""
_BELOW_PEAK = 1e-3
"""Power, as a share of the loudest chunk's, below which nothing counts as speech: -30 dB, where the vowels of a voice die away."""


def _chunks(duration_s: float) -> int:
    return max(1, round(duration_s / CHUNK_S))


def _power(samples: Samples) -> float:
    return float(np.mean(samples.astype(np.float64) ** 2))


class UtteranceSegmenter:
    """Give it each chunk with its voice activity; it tells when speech begins and returns what was said when it ends."""

    def __init__(self, config: SpeechConfig) -> None:
        self._probability = config.speech_probability
        self._needed = _chunks(config.start_s)
        # It begins somewhere within the last chunk of speech, on average in the middle.
        self._pause = _chunks(config.pause_s - CHUNK_S / 2)
        self._longest = _chunks(config.longest_s)
        self._before: deque[Chunk] = deque(maxlen=_chunks(config.preroll_s) + self._needed)
        self._hanging = min(_HANGING, self._pause // 3)
        self._said: list[Chunk] = []
        self._powers: list[float] = []
        self._loud = 0
        self._quiet = 0
        """Chunks since the last one that the model took for speech."""

    @property
    def speaking(self) -> bool:
        """True from the beginning of something said to its end."""
        return bool(self._said)

    def add(self, chunk: Chunk, probability: float) -> SegmenterState | UtteranceAudio:
        """One more chunk. Returns the segment that it ends, STARTED when it begins one, else NONE."""
        loud = probability >= self._probability
        if not self._said:
            self._before.append(chunk)
            self._loud = self._loud + 1 if loud else 0
            if self._loud < self._needed:
                return SegmenterState.NONE
            self._said = list(self._before)
            self._powers = [_power(chunk.samples) for chunk in self._said]
            self._quiet = 0
            return SegmenterState.STARTED
        self._said.append(chunk)
        self._powers.append(_power(chunk.samples))
        self._quiet = 0 if loud else self._quiet + 1
        if self._quiet + self._hanging >= self._pause and (rest := self._rest()) >= self._pause:
            return self._end(rest)
        return self._end(self._quiet) if len(self._said) >= self._longest else SegmenterState.NONE

    def _rest(self) -> int:
        """Chunks since the last one that was heard as speech: those of the pause, and the last ones before it that were no
        louder than it."""
        # What comes after speech dies away first.
        after = float(np.mean(self._powers[-(self._quiet + 1) // 2 :]))
        before = self._powers[: len(self._powers) - self._quiet]
        audible = max(_ABOVE_REST * after, _BELOW_PEAK * max(before))
        hanging = 0
        while hanging < min(self._hanging, len(before) - 1) and before[-1 - hanging] < audible:
            hanging += 1
        return self._quiet + hanging

    def flush(self) -> UtteranceAudio | None:
        """What is being said, ended here; None when nothing is."""
        return self._end(self._quiet) if self._said else None

    def reset(self) -> None:
        """Forgets what was heard."""
        self._before.clear()
        self._said = []
        self._loud = self._quiet = 0

    def _end(self, rest: int) -> UtteranceAudio:
        said = self._said
        self.reset()
        # The next thing said may begin within this pause.
        self._before.extend(said[-self._before.maxlen :] if self._before.maxlen else ())
        samples = np.concatenate([chunk.samples for chunk in said])
        return UtteranceAudio(samples, said[0].start_s, said[-1].end_s - rest * CHUNK_S)
