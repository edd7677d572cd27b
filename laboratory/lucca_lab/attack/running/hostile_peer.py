"""A second publisher on the topics of a stack: bursts, wrong stamps, wrong orders, and forged real messages."""

import copy
import random
import threading
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lucca_interfaces.msg import TableState
from rclpy.node import Node
from sensor_msgs.msg import Image, JointState

from lucca_lab.attack.attack import Broken
from lucca_lab.attack.running.odd_messages import drawn, type_named

BURST = 1_000
"""The messages of a burst, sent within a second."""

_PERIOD_S = 0.001
_KEPT = 20
_FORGED_S = 1.0
_FORGED_PERIOD_S = 0.05
_AWAY_S = (-1e9, -3_600.0, -10.0, -0.5, 0.5, 10.0, 3_600.0, 1e9)
_LATEST_S = 2**31 - 1
_OWN_S = 0.2
"""Messages that are heard until this long after the last one was sent may be this peer's own, and are not kept."""
REAL: Mapping[str, type] = {
    '/joint_states': JointState,
    '/perception/objects': TableState,
    '/camera/color/image_raw': Image,
    '/camera/depth/image_raw': Image,
}
"""The topics on which real messages are heard, to be copied."""

Publish = Callable[[Any], None]


class HostilePeer:
    """Sends what another process on the bus could send.

    Args:
        node: hears the real messages.
    """

    def __init__(self, node: Node) -> None:
        self._lock = threading.Lock()
        self._heard: dict[str, deque[Any]] = {topic: deque(maxlen=_KEPT) for topic in REAL}
        self._sending = 0
        self._sent_s = -_OWN_S
        for topic, kind in REAL.items():
            node.create_subscription(kind, topic, self._hearing(topic), 50)

    def _hearing(self, topic: str) -> Callable[[Any], None]:
        def hear(msg: Any) -> None:
            with self._lock:
                if not self._sending and time.monotonic() - self._sent_s > _OWN_S:
                    self._heard[topic].append(msg)

        return hear

    @contextmanager
    def sending(self) -> Iterator[None]:
        """While this is open, and for a moment after it, nothing that is heard counts as real."""
        with self._lock:
            self._sending += 1
        try:
            yield
        finally:
            with self._lock:
                self._sending -= 1
                self._sent_s = time.monotonic()

    def hears(self, topic: str) -> bool:
        """Whether there is a real message of a topic in `REAL`."""
        with self._lock:
            return bool(self._heard[topic])

    def burst(self, topic: str, type_name: str, publish: Publish, chance: random.Random) -> str:
        """Sends one message a thousand times within a second; a real one or a drawn one."""
        real = self._real(topic)
        msg = real[-1] if real and chance.random() < 0.5 else drawn(type_named(type_name), chance)
        begin_s = time.monotonic()
        for number in range(BURST):
            publish(msg)
            time.sleep(max(0.0, begin_s + number * _PERIOD_S - time.monotonic()))
        return f'{BURST} times {str(msg)[:200]}'

    def wrong_stamp(self, topic: str, type_name: str, publish: Publish, chance: random.Random) -> str:
        """Sends a message with an old stamp or one from the future."""
        real = self._real(topic)
        msg = copy.deepcopy(real[-1]) if real else drawn(type_named(type_name), chance)
        stamp = _stamp_of(msg)
        now_s = _seconds(_stamp_of(real[-1])) if real else chance.choice((0.0, time.time()))
        _set(stamp, now_s + chance.choice(_AWAY_S))
        publish(msg)
        return str(msg)[:200]

    def wrong_order(self, topic: str, type_name: str, publish: Publish, chance: random.Random) -> str:
        """Sends messages in reverse: the newest stamp first, or the pieces of a sound from its end."""
        messages = list(self._real(topic)) or [
            drawn(type_named(type_name), chance) for _ in range(chance.randint(2, 20))
        ]
        stamps_s = sorted(_seconds(_stamp_of(msg)) for msg in messages)
        if len(set(stamps_s)) < len(stamps_s):
            stamps_s = [stamps_s[-1] + 0.02 * number for number in range(len(messages))]
        for msg, stamp_s in zip(messages, reversed(stamps_s), strict=True):
            _set(_stamp_of(msg), stamp_s)
            publish(msg)
        return f'{len(messages)} in reverse, the last {str(messages[-1])[:200]}'

    def empty(self, topic: str, type_name: str, publish: Publish, chance: random.Random) -> str:
        """Sends a message with nothing in it."""
        publish(type_named(type_name)())
        return 'empty'

    def forged(self, topic: str, type_name: str, publish: Publish, chance: random.Random) -> str:
        """Sends copies of a topic's real messages for a second, as if from the same moment, consistently changed."""
        change = chance.choice((_same, _moved, _without_one))
        changed_by = chance.choice((0.0005, 0.01, 0.2, 3.0))
        base = self._real(topic)
        if not base:
            raise Broken(f'nothing was heard of {topic}')
        msg, begin_s = base[-1], time.monotonic()
        start_s = _seconds(_stamp_of(msg))
        chosen = chance.random()
        while (gone_s := time.monotonic() - begin_s) < _FORGED_S:
            forgery = copy.deepcopy(msg)
            change(forgery, changed_by, chosen)
            _set(_stamp_of(forgery), start_s + gone_s)
            publish(forgery)
            time.sleep(_FORGED_PERIOD_S)
        return f'{change.__name__.strip("_")} by {changed_by}'

    def _real(self, topic: str) -> Sequence[Any]:
        with self._lock:
            return [copy.deepcopy(msg) for msg in self._heard.get(topic, ())]


def is_stamped(type_name: str) -> bool:
    """Whether messages of a type say when they were made."""
    kind = type_named(type_name)
    fields = kind.get_fields_and_field_types()
    return 'header' in fields or 'builtin_interfaces/Time' in fields.values()


def _same(msg: Any, by: float, chosen: float) -> None:
    """The copy says what the real message says."""


def _moved(msg: Any, by: float, chosen: float) -> None:
    """A joint, or an object on the table, is elsewhere; a picture is shifted."""
    if isinstance(msg, Image):
        shift = 1 + int(chosen * (len(msg.data) - 1)) if msg.data else 0
        msg.data = msg.data[shift:] + msg.data[:shift]
    elif isinstance(msg, JointState):
        if msg.position:
            msg.position[int(chosen * len(msg.position))] += by
    elif msg.objects:
        msg.objects[int(chosen * len(msg.objects))].pose.position.x += by


def _without_one(msg: Any, by: float, chosen: float) -> None:
    """A joint, an object, or the whole content of a picture is missing."""
    if isinstance(msg, Image):
        msg.data = array('B', bytes(len(msg.data)))
    elif isinstance(msg, JointState):
        at = int(chosen * len(msg.name))
        for values in (msg.name, msg.position, msg.velocity, msg.effort):
            if len(values) > at:
                del values[at]
    elif msg.objects:
        del msg.objects[int(chosen * len(msg.objects))]


def _stamp_of(msg: Any) -> Any:
    if hasattr(msg, 'header'):
        return msg.header.stamp
    fields = msg.get_fields_and_field_types()
    return getattr(msg, next(name for name, kind in fields.items() if kind == 'builtin_interfaces/Time'))


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def _set(stamp: Any, time_s: float) -> None:
    time_s = min(max(time_s, -_LATEST_S), _LATEST_S)
    stamp.sec = int(time_s // 1)
    stamp.nanosec = int(time_s % 1 * 1e9)
