"""Segmentation of continuous sound into utterances, by voice activity and level.

A voice-activity model reports the end of speech up to 160 ms late, or later in noise. The final pause is therefore
counted from the last chunk that the model takes for speech and that is louder than the sound after it.
"""

from collections import deque

import numpy as np

from lucca_core.protocol.speech import Samples
from speech_node.audio import CHUNK_S
from speech_node.config import SpeechConfig
from speech_node.interfaces import Chunk, UtteranceAudio

_HANGING = 4
"""Largest number of chunks by which the model may lag at the end of speech; limited to a third of the pause."""
_ABOVE_REST = 2.0
"""Power ratio of speech to the sound after it: 3 dB. Steady white noise varies by a tenth of that between chunks."""
_BELOW_PEAK = 1e-3
"""Power, relative to the loudest chunk, below which nothing counts as speech: -30 dB, where vowels die away."""


def _chunks(duration_s: float) -> int:
    return max(1, round(duration_s / CHUNK_S))


def _power(samples: Samples) -> float:
    return float(np.mean(samples.astype(np.float64) ** 2))


class UtteranceSegmenter:
    """Collects chunks into utterances: `add` returns each when it ends."""

    def __init__(self, config: SpeechConfig) -> None:
        self._probability = config.speech_probability
        self._needed = _chunks(config.start_s)
        # The pause begins within the last chunk of speech, on average in its middle.
        self._pause = _chunks(config.pause_s - CHUNK_S / 2)
        self._longest = _chunks(config.longest_s)
        self._before: deque[Chunk] = deque(maxlen=_chunks(config.preroll_s) + self._needed)
        self._hanging = min(_HANGING, self._pause // 3)
        self._said: list[Chunk] = []
        self._powers: list[float] = []
        self._loud = 0
        self._quiet = 0
        """Number of chunks since the last one that the model took for speech."""

    def add(self, chunk: Chunk, probability: float) -> UtteranceAudio | None:
        """Adds a chunk. Returns the utterance that it ends, if any."""
        loud = probability >= self._probability
        if not self._said:
            self._before.append(chunk)
            self._loud = self._loud + 1 if loud else 0
            if self._loud < self._needed:
                return None
            self._said = list(self._before)
            self._powers = [_power(chunk.samples) for chunk in self._said]
            self._quiet = 0
            return None
        self._said.append(chunk)
        self._powers.append(_power(chunk.samples))
        self._quiet = 0 if loud else self._quiet + 1
        if self._quiet + self._hanging >= self._pause and (rest := self._rest()) >= self._pause:
            return self._end(rest)
        return self._cut() if len(self._said) >= self._longest else None

    def _rest(self) -> int:
        """Number of chunks since the end of speech: the pause, and the chunks just before it that were not louder."""
        # Only the second half of the pause, because speech fades during the first half.
        after = float(np.mean(self._powers[-(self._quiet + 1) // 2 :]))
        before = self._powers[: len(self._powers) - self._quiet]
        audible = max(_ABOVE_REST * after, _BELOW_PEAK * max(before))
        hanging = 0
        while hanging < min(self._hanging, len(before) - 1) and before[-1 - hanging] < audible:
            hanging += 1
        return self._quiet + hanging

    def flush(self) -> UtteranceAudio | None:
        """Ends the utterance in progress and returns it; None if there is none."""
        return self._end(self._quiet) if self._said else None

    def reset(self) -> None:
        """Forgets all earlier chunks."""
        self._before.clear()
        self._said = []
        self._loud = self._quiet = 0

    def _cut(self) -> UtteranceAudio:
        """Ends an utterance at its maximum length. If speech goes on, the next utterance begins at once."""
        going_on = self._quiet == 0
        utterance = self._end(self._quiet)
        self._loud = self._needed - 1 if going_on else 0
        return utterance

    def _end(self, rest: int) -> UtteranceAudio:
        said = self._said
        self.reset()
        # The next utterance may begin within this pause.
        self._before.extend(said[-self._before.maxlen :] if self._before.maxlen else ())
        samples = np.concatenate([chunk.samples for chunk in said])
        return UtteranceAudio(samples, said[0].start_s, said[-1].end_s - rest * CHUNK_S)
