"""How a node tells what it thinks and does to whoever watches or records."""

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
"""Values are packed and sent when nothing was told for so long: between an action's end and the next one's begin, less
than that apart, a node has work to do, and while an arm moves it has time."""
_LATEST_S = 0.6
"""So long after it was told a value is sent, even where more comes without a pause."""
_MOST_WAITING = 1000


class Observer:
    """Publishes on `observations` while somebody listens. Made when the node is configured, safe in any thread.

    It packs and sends in a thread of its own, in the next pause: what is watched takes no longer than what is not. The
    thread lives only while something waits: one that lived on would keep a node that is gone in the graph.
    """

    def __init__(self, node: LifecycleNode, *kinds: type[Observable]) -> None:
        """`kinds`: the classes of values that this node tells."""
        self._node = node
        # Made now: the first one of a kind takes many milliseconds, in which the node would do nothing else.
        self._adapters: dict[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in kinds}
        self._publisher = node.create_lifecycle_publisher(msg.Observation, TOPIC, OBSERVATIONS_QOS)
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._waiting: deque[tuple[Observable, float, float, float]] = deque()
        self._thread: threading.Thread | None = None

    def tell(self, value: Observable) -> None:
        """Has a value published, with the time of now. Never raises: whoever watches must not stop a robot."""
        with self._telling(value):
            if not (self._publisher.is_activated and self._publisher.get_subscription_count()):
                return
            told = (value, time_from_msg(self._node.get_clock().now().to_msg()), time.time(), time.monotonic())
            with self._lock:
                if len(self._waiting) >= _MOST_WAITING:
                    _LOG.warning('a %s is not told to watchers: %d others wait', type(value).__name__, _MOST_WAITING)
                    return
                self._waiting.append(told)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._send_waiting, name='observer', daemon=True)
                    self._thread.start()

    def destroy(self) -> None:
        """Sends what waits, and ends the publisher."""
        with self._lock:
            thread = self._thread
        self._ending.set()
        if thread is not None:
            thread.join()
        self._node.destroy_lifecycle_publisher(self._publisher)

    def _send_waiting(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
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
            # A node that ends loses its publisher while others of its threads still work.
            if self._node.context.ok():
                _LOG.exception('a %s could not be told to watchers', type(value).__name__)

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
        # A lone surrogate, as a model may write it, has no UTF-8.
        return json.dumps(plain, ensure_ascii=False).encode('utf-8', 'replace').decode()
