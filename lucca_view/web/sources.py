"""The sources of a page's session: the running stack, or a recording at any moment of it."""

import bisect
import threading

from lucca_view.events import TOLD, Event
from lucca_view.recording.reader import RecordedSession
from lucca_view.session import SessionView

_KEPT_EVERY = 250


class LiveSource:
    """The events of the running stack; pass each to `take`. Thread-safe.

    Attributes:
        panels: the panels that are shown.
        news: set when a node published something, or the shown panels change; cleared by the thread that waits for it.
    """

    length_s = 0.0
    steps_s: tuple[float, ...] = ()

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view = SessionView()
        self.panels: frozenset[str] = frozenset()
        self.news = threading.Event()

    def look(self, panels: frozenset[str]) -> None:
        """Stores the panels, and sets `news` if they have changed."""
        if panels != self.panels:
            self.panels = panels
            self.news.set()

    def take(self, event: Event) -> None:
        """Takes one more event."""
        with self._lock:
            self._view = self._view.after(event)
        if event.value.KIND in TOLD:
            self.news.set()

    def view(self, at_s: float = 0.0) -> SessionView:
        """The view now."""
        return self._view


class RecordedSource:
    """A recording, which is `length_s` long. At `steps_s`, something was decided or done. Thread-safe."""

    def __init__(self, session: RecordedSession) -> None:
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
        """The view `at_s` seconds after the beginning."""
        count = bisect.bisect_right(self._times_s, at_s)
        # The same object for the same moment: pages are sent changes, which are found by identity.
        known, view = self._last
        if count == known:
            return view
        start = count // _KEPT_EVERY
        view = self._kept[start].after_all(self._events[start * _KEPT_EVERY : count])
        self._last = (count, view)
        return view

    def look(self, panels: frozenset[str]) -> None:
        """Does nothing, as a recording is complete."""


Source = LiveSource | RecordedSource
