"""Detection of stalls of the machine's processors during a latency measurement.

On a virtual machine, or under the load of another system, a processor may stop for tens of milliseconds, which adds to
every latency. A watcher on each processor sleeps for one millisecond at a time with real-time priority and records when
it wakes up late. Without permission for real-time priority, a busy process delays the watcher too, and stalls cannot be
distinguished.
"""

import multiprocessing
import os
import time
from collections import deque
from collections.abc import Iterable
from multiprocessing.connection import Connection

SLEEP_S = 0.001
LATE_S = 0.003
"""A watcher that wakes up later than this was held up; smaller delays are due to the timer."""
_KEPT = 100_000
_REALTIME_PRIORITY = 50

Span = tuple[float, float]
"""Begin and end, in s of the monotonic clock."""


def shared_s(gaps: Iterable[Span], asked: Span) -> float:
    """The part of a span that lies in gaps, which do not overlap (s)."""
    return sum(max(0.0, min(ended_s, asked[1]) - max(began_s, asked[0])) for began_s, ended_s in gaps)


class Standstill:
    """Watches the processors that this process may use, for as long as the context is open."""

    def __init__(self) -> None:
        self._watches: list[tuple[multiprocessing.process.BaseProcess, Connection]] = []
        self._real_time = False

    def __enter__(self) -> 'Standstill':
        context = multiprocessing.get_context('spawn')
        for processor in sorted(os.sched_getaffinity(0)):
            mine, theirs = context.Pipe()
            watch = context.Process(target=_watch, args=(processor, theirs), daemon=True)
            watch.start()
            theirs.close()
            self._watches.append((watch, mine))
        self._real_time = min(pipe.recv() for _, pipe in self._watches)
        return self

    def __exit__(self, *_: object) -> None:
        for watch, pipe in self._watches:
            watch.kill()
            watch.join()
            pipe.close()

    def lost_ms(self, began_s: float, ended_s: float) -> float | None:
        """The longest stall of any processor within a span of the monotonic clock (ms); None if it cannot be measured.

        Call it after the end of the span.
        """
        if not self._real_time:
            return None
        for _, pipe in self._watches:
            pipe.send((began_s, ended_s))
        return 1e3 * max((pipe.recv() for _, pipe in self._watches), default=0.0)


def _watch(processor: int, pipe: Connection) -> None:
    os.sched_setaffinity(0, {processor})
    real_time = True
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_REALTIME_PRIORITY))
    except OSError:
        real_time = False
    pipe.send(real_time)
    gaps: deque[Span] = deque(maxlen=_KEPT)
    before_s = time.monotonic()
    while True:
        time.sleep(SLEEP_S)
        now_s = time.monotonic()
        if now_s - before_s > SLEEP_S + LATE_S:
            gaps.append((before_s + SLEEP_S, now_s))
        before_s = now_s
        if pipe.poll():
            pipe.send(shared_s(gaps, pipe.recv()))
