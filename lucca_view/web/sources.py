"""Where a page's session comes from: the running stack, or a recording at any moment of it."""

import bisect
import threading
from typing import Protocol

from lucca_view.events import TOLD, Event
from lucca_view.recording.reader import Session
from lucca_view.session import SessionView

_KEPT_EVERY = 250


class Source(Protocol):
    """A session that a page shows. Safe in several threads."""

    @property
    def length_s(self) -> float:
        """Length of a recording; 0 for what goes on."""
        ...

    @property
    def steps_s(self) -> tuple[float, ...]:
        """Moments of a recording at which something was decided or done, from its beginning."""
        ...

    def view(self, at_s: float) -> SessionView:
        """What is in sight now; of a recording, `at_s` after its beginning."""
        ...

    def look(self, panels: frozenset[str]) -> None:
        """Tells which panels any page shows now: what nobody looks at need not be fetched."""
        ...


class LiveSource:
    """What the running stack tells; `take` it as it comes.

    Attributes:
        panels: those that are looked at.
        news: set when something was told by a node, or other panels are looked at; cleared by who waits for it.
    """

    length_s = 0.0
    steps_s: tuple[float, ...] = ()

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view = SessionView()
        self.panels: frozenset[str] = frozenset()
        self.news = threading.Event()

    def look(self, panels: frozenset[str]) -> None:
        """Keeps them in `panels`, and sets `news` where they are others."""
        if panels != self.panels:
            self.panels = panels
            self.news.set()

    def take(self, event: Event) -> None:
        """One more event."""
        with self._lock:
            self._view = self._view.after(event)
        if event.value.KIND in TOLD:
            self.news.set()

    def view(self, at_s: float = 0.0) -> SessionView:
        """What is in sight now."""
        return self._view


class RecordedSource:
    """A recording."""

    def __init__(self, session: Session) -> None:
        self._events = session.events
        self._times_s = [event.wall_s - session.began_s for event in session.events]
        self._kept = [SessionView()]
        for start in range(0, len(self._events), _KEPT_EVERY):
            self._kept.append(self._kept[-1].after_all(self._events[start : start + _KEPT_EVERY]))
        self._last = (0, self._kept[0])
        self.length_s = session.ended_s - session.began_s
        told = ('exchange', 'gate', 'action', 'entry')
        self.steps_s = tuple(
            round(at_s, 3) for at_s, event in zip(self._times_s, self._events, strict=True) if event.value.KIND in told
        )

    def view(self, at_s: float) -> SessionView:
        """What was in sight `at_s` after the beginning."""
        count = bisect.bisect_right(self._times_s, at_s)
        # The same object for the same moment: pages are sent what changed, and tell that by identity.
        known, view = self._last
        if count == known:
            return view
        start = count // _KEPT_EVERY
        view = self._kept[start].after_all(self._events[start * _KEPT_EVERY : count])
        self._last = (count, view)
        return view

    def look(self, panels: frozenset[str]) -> None:
        """All of it is there already."""
