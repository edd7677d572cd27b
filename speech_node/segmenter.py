"""Cuts running sound into things said: where speech begins, with some sound before it, and where it has ended."""

from collections import deque
from enum import Enum, auto

import numpy as np

from speech_node.audio import CHUNK_S
from speech_node.config import SpeechConfig
from speech_node.ports import Chunk, Segment


class Edge(Enum):
    """What a chunk was to the segmenter."""

    NONE = auto()
    STARTED = auto()


def _chunks(duration_s: float) -> int:
    return max(1, round(duration_s / CHUNK_S))


class Segmenter:
    """Give it each chunk with its voice activity; it tells when speech begins and returns what was said when it ends."""

    def __init__(self, config: SpeechConfig) -> None:
        self._probability = config.speech_probability
        self._needed = _chunks(config.start_s)
        self._pause = _chunks(config.pause_s)
        self._longest = _chunks(config.longest_s)
        self._before: deque[Chunk] = deque(maxlen=_chunks(config.preroll_s) + self._needed)
        self._said: list[Chunk] = []
        self._loud = 0
        self._quiet = 0

    @property
    def speaking(self) -> bool:
        """True from the beginning of something said to its end."""
        return bool(self._said)

    def add(self, chunk: Chunk, probability: float) -> Edge | Segment:
        """One more chunk. Returns the segment that it ends, STARTED when it begins one, else NONE."""
        loud = probability >= self._probability
        if not self._said:
            self._before.append(chunk)
            self._loud = self._loud + 1 if loud else 0
            if self._loud < self._needed:
                return Edge.NONE
            self._said = list(self._before)
            self._quiet = 0
            return Edge.STARTED
        self._said.append(chunk)
        self._quiet = 0 if loud else self._quiet + 1
        if self._quiet >= self._pause or len(self._said) >= self._longest:
            return self._end()
        return Edge.NONE

    def flush(self) -> Segment | None:
        """What is being said, ended here; None when nothing is."""
        return self._end() if self._said else None

    def reset(self) -> None:
        """Forgets what was heard."""
        self._before.clear()
        self._said = []
        self._loud = self._quiet = 0

    def _end(self) -> Segment:
        said, quiet = self._said, self._quiet
        self.reset()
        # The next thing said may begin within this pause.
        self._before.extend(said[-self._before.maxlen :] if self._before.maxlen else ())
        samples = np.concatenate([chunk.samples for chunk in said])
        return Segment(samples, said[0].start_s, said[-1].end_s - quiet * CHUNK_S)
