"""The robot's voice: sentence by sentence, the first one sounding while the next is made, and silent when told to be."""

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
MOST_WAITING = 50


class Sentences:
    """Cuts text that comes in pieces, as a language model writes it, into whole sentences."""

    def __init__(self) -> None:
        self._rest = ''

    def add(self, text: str) -> list[str]:
        """The sentences that this piece completes. The last one waits until it is known that it has ended."""
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
        """What is left, as the last sentence."""
        rest, self._rest = self._rest.strip(), ''
        return [rest] if rest else []


def sentences_of(text: str) -> list[str]:
    """The sentences of a whole text."""
    cutter = Sentences()
    return cutter.add(text) + cutter.flush()


class SpeechQueue:
    """Speaks what it is given in order, in a thread of its own.

    Args:
        on_sound: called with the time from `say` to the first sound of each text, in s.
    """

    def __init__(self, speaker: Speaker, player: Player, *, on_sound: Callable[[float], None] = lambda _: None) -> None:
        self._speaker = speaker
        self._player = player
        self._on_sound = on_sound
        self._waiting: deque[tuple[str, float | None]] = deque(maxlen=MOST_WAITING)
        self._changed = threading.Condition()
        self._making = False
        self._turn = 0
        self._closing = False
        self._thread = threading.Thread(target=self._run, name='voice', daemon=True)
        self._thread.start()

    @property
    def speaking(self) -> bool:
        """True from `say` to the end of the last sound."""
        with self._changed:
            return bool(self._waiting) or self._making or self._player.playing

    def say(self, text: str) -> None:
        """Speaks a text after what is spoken already. Returns at once."""
        now_s: float | None = time.monotonic()
        with self._changed:
            for sentence in sentences_of(text):
                self._waiting.append((sentence, now_s))
                now_s = None
            self._changed.notify_all()

    def fall_silent(self) -> None:
        """Stops speaking at once; what was still to be said is forgotten."""
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
            except Exception as error:  # noqa: BLE001 - a voice's library has errors of its own, and the next text is another
                _log.error('not spoken: %r: %s: %s', sentence[:80], type(error).__name__, error)
                continue
            with self._changed:
                # Told to be silent while the sound was made: it must not come after all.
                if turn == self._turn and not self._closing:
                    self._player.play(samples)
                    if said_s is not None:
                        self._on_sound(time.monotonic() - said_s)
