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
from pydantic import TypeAdapter
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy

from lucca_core.protocol.observations import Observable, Observation
from lucca_ros.conversions.observations import OBSERVATION
from lucca_ros.conversions.stamps import time_from_msg

_LOG = logging.getLogger(__name__)

TOPIC = 'observations'
OBSERVATIONS_QOS = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)

_QUIET_S = 0.25
"""Reports are sent after a pause of this length.

A node is busy between the end of one action and the start of the next, which is a shorter time. While an arm moves, it
has time.
"""
_LATEST_S = 0.6
"""A report is sent after this time at the latest, even if more arrive without a pause."""
_MOST_WAITING = 1000
_IDLE_S = 5.0
"""The sending thread ends after this time without reports. Starting a thread makes the caller wait until it runs."""


class Observer:
    """Publishes on `observations` while somebody listens. Made when the node is configured; thread-safe.

    A separate thread converts and sends the reports in the next pause, so that watching does not slow down the work.
    The thread ends when there is nothing to report: a permanent thread would keep a destroyed node in the graph.
    """

    def __init__(self, node: LifecycleNode, *kinds: type[Observable]) -> None:
        """`kinds`: the classes of values that this node reports."""
        self._node = node
        # Made here because the first adapter of a class takes many milliseconds, which would block the node later.
        self._adapters: dict[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in kinds}
        self._publisher = node.create_lifecycle_publisher(msg.Observation, TOPIC, OBSERVATIONS_QOS)
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._told = threading.Event()
        self._waiting: deque[tuple[Observable, float, float, float]] = deque()
        self._thread: threading.Thread | None = None

    def tell(self, value: Observable) -> None:
        """Publishes a value with the present time. Never raises, because watching must not stop a robot."""
        with self._telling(value):
            if not (self._publisher.is_activated and self._publisher.get_subscription_count()):
                return
            told = (value, time_from_msg(self._node.get_clock().now().to_msg()), time.time(), time.monotonic())
            with self._lock:
                if len(self._waiting) >= _MOST_WAITING:
                    _LOG.warning(
                        'a %s is not reported to watchers: %d others are waiting', type(value).__name__, _MOST_WAITING
                    )
                    return
                self._waiting.append(told)
                self._told.set()
                if self._thread is None:
                    self._thread = threading.Thread(target=self._send_waiting, name='observer', daemon=True)
                    self._thread.start()

    def destroy(self) -> None:
        """Sends waiting reports and destroys the publisher."""
        with self._lock:
            thread = self._thread
        self._ending.set()
        self._told.set()
        if thread is not None:
            thread.join()
        self._node.destroy_lifecycle_publisher(self._publisher)

    def _send_waiting(self) -> None:
        while True:
            told = self._told.wait(_IDLE_S)
            with self._lock:
                if not self._waiting:
                    self._told.clear()
                    if told and not self._ending.is_set():
                        continue
                    self._thread = None
                    return
                first_s, last_s = self._waiting[0][3], self._waiting[-1][3]
            wait_s = min(last_s + _QUIET_S, first_s + _LATEST_S) - time.monotonic()
            if wait_s > 0 and not self._ending.wait(wait_s):
                continue
            with self._lock:
                value, stamp_s, wall_s, _ = self._waiting.popleft()
            with self._telling(value):
                self._publisher.publish(OBSERVATION.to_msg(self._observation(value, stamp_s, wall_s)))

    @contextmanager
    def _telling(self, value: Observable) -> Iterator[None]:
        try:
            yield
        except Exception:  # noqa: BLE001 - whoever watches must not stop a robot
            # While a node ends, its publisher may be gone before its other threads have finished.
            if self._node.context.ok():
                _LOG.exception('a %s could not be reported to watchers', type(value).__name__)

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
