"""The feed of a page besides the nodes' own events: joints and pictures while they are shown, tasks, and memory."""

import logging
import operator
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lucca_cli.stack_events import JOINTS, PICTURES, StackEvents
from lucca_core.errors import MemoryFault
from lucca_view.events import Event, MemorySeen
from lucca_view.memory_nodes import network_state, read_nodes
from lucca_view.web.sources import LiveSource

_LOG = logging.getLogger(__name__)

_LOOK_S = 1.0
_ASKED_S = 10.0
"""Tasks and prohibitions are requested when a node has published something, and again after this many seconds."""
_MEMORY_S = 60.0
"""In s; the network is read again after this time, as recency decreases even if nothing is said."""
_NEVER = (-1, -1e9)

SHOWN_BY = {'camera': PICTURES, 'scene': JOINTS}
"""The events that are received only for these panels."""


class StackFeed:
    """Feeds one page until it is closed. Everything has a cost for the stack, so only what is needed is requested.

    Args:
        events: subscribed to the stack; closed with the feed.
        live: the session that the page shows.
        data_dir: the data folder, whose network is shown.
    """

    def __init__(self, events: StackEvents, live: LiveSource, data_dir: Path) -> None:
        self._events = events
        self._live = live
        self._data_dir = data_dir
        self._ended = threading.Event()
        self._asked = {'tasks': _NEVER, 'prohibitions': _NEVER}
        """The number of events and the time at which each was requested last."""
        self._memory_s = -1e9
        self._state: object = None
        self._seen: MemorySeen | None = None
        self._thread = threading.Thread(target=self._run, name='feed', daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and closes the events."""
        self._ended.set()
        self._live.news.set()
        self._thread.join()
        self._events.close()

    def _run(self) -> None:
        while not self._ended.is_set():
            self._live.news.wait(_LOOK_S)
            self._live.news.clear()
            if not self._ended.is_set():
                self.round(time.monotonic())

    def round(self, now_s: float) -> None:
        """Subscribes to what is shown, and requests what may have changed. `now_s`: time of a monotonic clock."""
        panels = self._live.panels
        self._events.watch({SHOWN_BY[name] for name in panels if name in SHOWN_BY})
        told = self._live.view().told
        for name, ask in (('tasks', self._events.ask_tasks), ('prohibitions', self._events.ask_prohibitions)):
            told_then, asked_s = self._asked[name]
            if name in panels and _is_due(now_s - asked_s, _ASKED_S, partial(operator.ne, told, told_then)):
                self._asked[name] = (told, now_s)
                ask()
        if 'memory' in panels and _is_due(now_s - self._memory_s, _MEMORY_S, self._has_changed):
            self._memory_s = now_s
            self._read_memory()

    def _has_changed(self) -> bool:
        state = network_state(self._data_dir)
        # A network that robots share is not in a file.
        return not state or state != self._state

    def _read_memory(self) -> None:
        try:
            seen = read_nodes(self._data_dir)
        except MemoryFault as error:
            # The folder does not exist yet, or belongs to a worker on another machine.
            _LOG.info('the network is not shown: %s', error)
            return
        self._state = network_state(self._data_dir)
        if seen != self._seen:
            self._seen = seen
            self._live.take(Event(wall_s=time.time(), stamp_s=0.0, value=seen))


def _is_due(waited_s: float, at_last_s: float, is_wanted: Callable[[], bool]) -> bool:
    return waited_s >= at_last_s or (waited_s >= _LOOK_S and is_wanted())
