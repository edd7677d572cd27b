"""The stop words that were published while they were said, to tell which stop words of a transcript are new."""

import math

from lucca_core.stop_command import count_stop_words
from speech_node.interfaces import UtteranceAudio

_MOST = 50
_LATE_S = 0.5
"""The spotter may hear a stop word this long after its end, in s."""


class SpottedStops:
    """The times of spotted stop words. One thread adds them, another one compares them with transcripts."""

    def __init__(self) -> None:
        # A tuple that is replaced, not a list that grows: the reading thread never sees it change.
        self._times_s: tuple[float, ...] = ()
        self._claimed_s = -math.inf

    def add(self, end_s: float) -> None:
        """Notes a spotted stop word by its end, a monotonic time in s."""
        self._times_s = (*self._times_s[1 - _MOST :], end_s)

    def cover(self, segment: UtteranceAudio, text: str) -> bool:
        """Whether as many stop words were spotted during an utterance as its transcript `text` holds.

        If not, one of them has not been published, and the arms may have been reset since the others.
        """
        end_s = segment.end_s + _LATE_S
        spotted = [time_s for time_s in self._times_s if max(segment.start_s, self._claimed_s) < time_s <= end_s]
        # One that was heard late, in the next utterance, counts for this one only.
        self._claimed_s = max([self._claimed_s, *spotted])
        return len(spotted) >= max(1, count_stop_words(text))
