"""Open conversations by source and person, with their last turns; each ends after a silence."""

import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from coordinator_node.interfaces import Flag
from coordinator_node.people.interface import Partner
from coordinator_node.waits import Interrupted

_SLICE_S = 0.05


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A past turn in the prompt: question and answer as the model saw them. `utterance` is the text as recorded.

    A stop is not recorded, as it waits for no memory; it is only in the dialogue.
    """

    said: str
    answer: str
    utterance: str = ''
    is_recorded: bool = True


@dataclass(slots=True)
class Session:
    """One conversation. Its lock makes its turns run one after the other."""

    conversation: str
    source: str
    person: str
    turns: deque[PastTurn]
    last_s: float
    partner: Partner | None = None
    answering: str = ''
    """The utterance that is being answered now."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    stops: deque[PastTurn] = field(default_factory=deque)
    """The stops that were heard since the last turn began."""
    asked: tuple[str, str] = ('', '')
    """The question with which the last task ended, and its text, until the next turn begins or a stop is heard."""

    def take_stops(self) -> None:
        """Puts the stops that were heard behind the last turn."""
        while self.stops:
            self.turns.append(self.stops.popleft())

    def take_asked(self) -> tuple[str, str]:
        """The question that the next text may answer, and what it is about; it is asked once."""
        asked, self.asked = self.asked, ('', '')
        return asked

    @contextmanager
    def held(
        self, interrupted: Flag, text: str = '', on_wait: Callable[[str], None] = lambda _: None
    ) -> Iterator[None]:
        """Holds the lock, once the previous turn has ended.

        Args:
            interrupted: ends the waiting.
            text: the utterance that is answered while the lock is held.
            on_wait: called with the utterance being answered, if this has to wait.

        Raises:
            Interrupted: the flag was raised.
        """
        told = False
        while not self.lock.acquire(timeout=_SLICE_S):
            if interrupted():
                raise Interrupted
            if not told and (answering := self.answering):
                on_wait(answering)
                told = True
        self.answering = text
        try:
            yield
        finally:
            self.answering = ''
            self.lock.release()


class Sessions:
    """The open conversations. Safe to use from several threads."""

    def __init__(
        self,
        *,
        idle_s: float,
        turns_kept: int,
        clock: Callable[[], float],
    ) -> None:
        self._idle_s = idle_s
        self._turns_kept = turns_kept
        self._clock = clock
        self._open: dict[tuple[str, str], Session] = {}
        self._lock = threading.Lock()

    def of(self, source: str, person: str) -> tuple[Session, tuple[Session, ...]]:
        """The conversation with a speaker, begun if there is none, and the conversations that have ended by silence."""
        now_s = self._clock()
        with self._lock:
            ended = [key for key, item in self._open.items() if now_s - item.last_s > self._idle_s]
            gone = tuple(self._open.pop(key) for key in ended)
            session = self._open.get((source, person))
            if session is None:
                turns: deque[PastTurn] = deque(maxlen=self._turns_kept)
                session = Session(f'{source or "ros"}-{uuid.uuid4().hex[:16]}', source, person, turns, now_s)
                self._open[source, person] = session
            session.last_s = now_s
            return session, gone

    def stopped(self, source: str, person: str, name: str) -> None:
        """Notes that a speaker asked for a stop, if a conversation with them is open. Waits for no turn.

        Args:
            source: where it was said.
            person: who said it; empty for a guest.
            name: what the prompt calls them.
        """
        with self._lock:
            session = self._open.get((source, person))
            if session is not None:
                session.stops.append(PastTurn(f'{name} said: stop', '<say(I stop.)>', 'stop', is_recorded=False))
                session.asked = '', ''

    def asked(self, source: str, person: str, question: str, text: str) -> None:
        """Notes that the task of a text ended with a question to a speaker, if a conversation with them is open."""
        with self._lock:
            session = self._open.get((source, person))
            if session is not None:
                session.asked = question, text

    def end(self, source: str, person: str) -> tuple[Session, ...]:
        """Ends the conversation with a speaker and returns it, if there is one."""
        with self._lock:
            session = self._open.pop((source, person), None)
            return () if session is None else (session,)

    def end_all(self) -> tuple[Session, ...]:
        """Ends all conversations and returns them."""
        with self._lock:
            gone = tuple(self._open.values())
            self._open.clear()
            return gone
