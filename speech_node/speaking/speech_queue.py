"""A queue of texts to speak, sentence by sentence: while one sentence plays, the next one is synthesised."""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable

from speech_node.interfaces import Player, Speaker

_log = logging.getLogger(__name__)

_END = re.compile(r'(?<=[.!?…])["”’)]*\s+|\n+')
_ABBREVIATION = re.compile(r'\b(?:e\.g|i\.e|etc|mr|mrs|ms|dr|no|vs)\.$', re.IGNORECASE)
_MOST_WAITING = 50


class Sentences:
    """Splits text that arrives in pieces, as from a language model, into sentences."""

    def __init__(self) -> None:
        self._rest = ''

    def add(self, text: str) -> list[str]:
        """Returns the sentences completed by this piece. The last sentence is held back until its end is certain."""
        self._rest += text
        found = []
        start = 0
        for match in _END.finditer(self._rest):
            sentence = self._rest[start : match.start()].strip()
            if sentence and not _ABBREVIATION.search(sentence):
                found.append(sentence)
                start = match.end()
        self._rest = self._rest[start:]
        return found

    def flush(self) -> list[str]:
        """Returns the remaining text as the last sentence."""
        rest, self._rest = self._rest.strip(), ''
        return [rest] if rest else []


def sentences_of(text: str) -> list[str]:
    """Splits a whole text into sentences."""
    cutter = Sentences()
    return cutter.add(text) + cutter.flush()


class SpeechQueue:
    """Speaks texts in order, in a separate thread. If more than 50 sentences wait, drops the oldest with a warning.

    Args:
        on_sound: called for each text with the time from `say` to its first sound, in s.
    """

    def __init__(self, speaker: Speaker, player: Player, *, on_sound: Callable[[float], None] = lambda _: None) -> None:
        self._speaker = speaker
        self._player = player
        self._on_sound = on_sound
        self._waiting: deque[tuple[str, float | None]] = deque(maxlen=_MOST_WAITING)
        self._changed = threading.Condition()
        self._making = False
        self._turn = 0
        self._closing = False
        self._thread = threading.Thread(target=self._run, name='voice', daemon=True)
        self._thread.start()

    @property
    def speaking(self) -> bool:
        """True from `say` until everything has been played."""
        with self._changed:
            return bool(self._waiting) or self._making or self._player.playing

    def say(self, text: str) -> None:
        """Queues a text. Returns at once."""
        now_s: float | None = time.monotonic()
        with self._changed:
            for sentence in sentences_of(text):
                if len(self._waiting) == _MOST_WAITING:
                    _log.warning('not spoken: %r: more than %d sentences wait', self._waiting[0][0][:80], _MOST_WAITING)
                self._waiting.append((sentence, now_s))
                now_s = None
            self._changed.notify_all()

    def fall_silent(self) -> None:
        """Stops speaking at once and discards the queue."""
        with self._changed:
            self._turn += 1
            self._waiting.clear()
            self._player.stop()

    def close(self) -> None:
        """Ends the thread and the player."""
        with self._changed:
            self._closing = True
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(timeout=2.0)
        self._player.close()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._making = False
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    return
                sentence, said_s = self._waiting.popleft()
                turn, self._making = self._turn, True
            try:
                samples = self._speaker.synthesise(sentence)
            except Exception as error:  # noqa: BLE001 - each library has errors of its own; the next text may work
                _log.error('not spoken: %r: %s: %s', sentence[:80], type(error).__name__, error)
                continue
            with self._changed:
                # Not played if `fall_silent` was called during synthesis.
                if turn == self._turn and not self._closing:
                    self._player.play(samples)
                    if said_s is not None:
                        self._on_sound(time.monotonic() - said_s)
