"""Reports of what a node thinks and does, for watchers and recorders."""

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lucca_interfaces import msg
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from lucca_core.protocol.observations import Observable, Observation, adapter
from lucca_ros.conversions.observations import OBSERVATION

_LOG = logging.getLogger(__name__)

TOPIC = 'observations'
OBSERVATIONS_QOS = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)

_QUIET_S = 0.25
"""Reports are sent after a pause of this length.

A node is busy between the end of one action and the start of the next, which is a shorter time. While an arm moves, it
has time.
"""
_LATEST_S = 0.5
"""A report is sent after this time at the latest, even if more arrive without a pause."""
_LOOK_S = 0.1
"""How often the sending thread looks for reports. It is not woken by them: waking it would delay whoever reports."""
_MOST_WAITING = 1000
_MOST_PASSED_S = 10.0
"""A clock that moves further between two looks was set, for example by a simulator that started again."""


class Observer:
    """Publishes on `observations` while somebody listens, whether or not its node is active; thread-safe.

    A report is only put in line. A separate thread converts and sends the line in the next pause, so that watching does
    not slow down the work. The thread lives while somebody listens.
    """

    def __init__(self, node: Node, *kinds: type[Observable]) -> None:
        """`kinds`: the classes of values that this node reports."""
        self._node = node
        self._clock = node.get_clock()
        # Made here, as it takes many milliseconds, which would block the node later.
        self._adapters = {kind: adapter(kind) for kind in kinds}
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._listeners = 0
        self._told: deque[tuple[Observable, float, float]] = deque()
        self._waiting: deque[tuple[Observable, float, float, float]] = deque()
        self._lost = 0
        self._looked = (0.0, 0.0)
        self._thread: threading.Thread | None = None
        # Not of the lifecycle: what ends while the node is deactivated is told too.
        self._publisher = node.create_publisher(
            msg.Observation, TOPIC, OBSERVATIONS_QOS, event_callbacks=PublisherEventCallbacks(matched=self._on_matched)
        )

    def tell(self, value: Observable) -> None:
        """Publishes a value with the present time. Never raises, because watching must not stop a robot."""
        if not self._listeners:
            return
        if len(self._told) + len(self._waiting) >= _MOST_WAITING:
            self._lost += 1
            return
        self._told.append((value, time.time(), time.monotonic()))

    def destroy(self) -> None:
        """Ends the thread, which first sends what waits, and destroys the publisher. Does nothing the second time."""
        if self._ending.is_set():
            return
        self._ending.set()
        with self._lock:
            thread, self._listeners = self._thread, 0
        if thread is not None:
            thread.join()
        self._node.destroy_publisher(self._publisher)

    def _on_matched(self, matched: Any) -> None:
        """Called by the executor when a subscription comes or goes."""
        with self._lock:
            if self._thread is None:
                self._told.clear()
            self._listeners = 0 if self._ending.is_set() else matched.current_count
            if self._listeners and self._thread is None:
                thread = threading.Thread(target=self._send_while_watched, name='observer', daemon=True)
                thread.start()
                self._thread = thread

    def _send_while_watched(self) -> None:
        with self._telling('the clock'):
            self._looked = self._look()
        while not self._ending.wait(_LOOK_S) and self._node.context.ok():
            with self._lock:
                if not self._listeners:
                    self._told.clear()
                    self._waiting.clear()
                    self._thread = None
                    return
            with self._telling('what was told'):
                self._stamp_what_was_told()
                while self._waiting and self._is_due() and not self._ending.is_set():
                    self._send_next()
                    self._stamp_what_was_told()
                if self._lost:
                    lost, self._lost = self._lost, 0
                    _LOG.warning('%d reports did not reach the watchers: %d were waiting', lost, _MOST_WAITING)
        with self._telling('what was told'):
            self._stamp_what_was_told()
            while self._waiting:
                self._send_next()

    def _look(self) -> tuple[float, float]:
        """The monotonic time, and the time of the node's clock, both in s."""
        return time.monotonic(), self._clock.now().nanoseconds / 1e9

    def _stamp_what_was_told(self) -> None:
        """Gives each new report the time of the node's clock, interpolated between this look and the last one.

        Reading that clock takes ten times as long as putting a report in line, and would delay whoever reports.
        """
        (before_s, before_ros_s), (now_s, now_ros_s) = self._looked, self._look()
        self._looked = (now_s, now_ros_s)
        passed_s = now_ros_s - before_ros_s
        rate = passed_s / max(now_s - before_s, _LOOK_S) if 0.0 <= passed_s < _MOST_PASSED_S else 0.0
        while self._told:
            value, wall_s, told_s = self._told.popleft()
            stamp_s = now_ros_s - rate * min(max(0.0, now_s - told_s), now_s - before_s)
            self._waiting.append((value, stamp_s, wall_s, told_s))

    def _is_due(self) -> bool:
        first_s, last_s = self._waiting[0][3], self._waiting[-1][3]
        return time.monotonic() >= min(last_s + _QUIET_S, first_s + _LATEST_S)

    def _send_next(self) -> None:
        value, stamp_s, wall_s, _ = self._waiting.popleft()
        with self._telling(f'a {type(value).__name__}'):
            self._publisher.publish(OBSERVATION.to_msg(self._observation(value, stamp_s, wall_s)))

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception:  # noqa: BLE001 - whoever watches must not stop a robot
            # While a node ends, its publisher may be gone before its other threads have finished.
            if self._node.context.ok():
                _LOG.exception('%s could not be reported to watchers', what)

    def _observation(self, value: Observable, stamp_s: float, wall_s: float) -> Observation:
        return Observation(
            stamp_s=stamp_s,
            wall_s=wall_s,
            node=self._node.get_name(),
            kind=value.KIND,
            json=self._text(value),
        )

    def _text(self, value: Observable) -> str:
        plain = self._adapters[type(value)].dump_python(value, mode='json')
        # A model may write a lone surrogate, which has no UTF-8 encoding.
        return json.dumps(plain, ensure_ascii=False).encode('utf-8', 'replace').decode()
