"""The running stack as events, for a recording or a page."""

import base64
import logging
import math
import time
from collections.abc import Callable, Collection
from functools import partial

from diagnostic_msgs.msg import DiagnosticArray
from lucca_interfaces import msg, srv
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage, JointState
from trajectory_msgs.msg import JointTrajectory

from lucca_cli.client import StackClient
from lucca_core.errors import MemoryFault, RecordingError, StackError
from lucca_core.protocol.observations import Observable
from lucca_core.protocol.prohibitions import ProhibitionRequest
from lucca_ros.callers import ServiceCaller
from lucca_ros.conversions.observations import OBSERVATION
from lucca_ros.conversions.prohibitions import PROHIBITIONS
from lucca_ros.conversions.snapshots import snapshot_from_msg
from lucca_ros.conversions.stamps import time_from_msg
from lucca_ros.conversions.tasks import TASK_STATES
from lucca_ros.observing import OBSERVATIONS_QOS, TOPIC
from lucca_ros.subscriptions import keep_last
from lucca_ros.topic_reader import Info, TopicReader, received_s
from lucca_view.events import (
    Diagnosed,
    Event,
    JointsSeen,
    PathPlanned,
    PictureSeen,
    ProhibitionsKnown,
    Said,
    SceneSeen,
    TasksKnown,
)
from lucca_view.pictures import MOST_PIXELS, pixels_of
from lucca_view.recording.codec import from_json

_LOG = logging.getLogger(__name__)

_NEWEST = keep_last(1, reliable=False)
_NEWEST_PICTURE = keep_last(1, reliable=True)
_JOINT_STATES = keep_last(1000, reliable=False)
"""Deep enough for all publishers of joint states, as each may publish the state of a few joints only, at 1 kHz."""
_ALL = keep_last(100, reliable=True)
_LEVELS = {b'\x00': 'ok', b'\x01': 'warn', b'\x02': 'error', b'\x03': 'stale'}
_MOST_PICTURE_BYTES = 4_000_000
_ASKED_S = 2.0

JOINTS, PICTURES = 'joints', 'pictures'
"""Events that are received only on request; see `StackEvents.watch`."""

Take = Callable[[Event], None]


class StackEvents:
    """Subscribes to everything that can be shown, and calls `take` with each event.

    It does so in a thread of its own, and in `ask_tasks` and `ask_prohibitions`. The thread looks at what has arrived
    `most_hz` times a second. It is not woken by the messages, as they also wake the nodes, which would wait for it (see
    `TopicReader`).

    `take` must return soon and be thread-safe. Messages that cannot be used are logged and left out.

    Joints and pictures are received only while `watch` requests them: there are many of them, and perception draws
    pictures only for subscribers. Close this before the client.

    Args:
        client: a spinning client.
        take: receives the events.
        arms: names of the arms whose planned paths are reported, by topic of their controller.
        most_hz: looks per second of wall time; of each frequent kind (snapshots, joints, pictures), a look takes the
            newest one.
    """

    def __init__(
        self,
        client: StackClient,
        take: Take,
        *,
        arms: dict[str, str],
        most_hz: float = 10.0,
    ) -> None:
        self._take = take
        self._arms = arms
        self._watched: dict[str, list[Subscription]] = {}
        self._gap_s = 1.0 / most_hz
        self._newest_s: dict[str, float] = {}
        self._diagnosed: dict[str, Diagnosed] = {}
        self._joints: dict[str, float] = {}
        self._joints_seen: tuple[float, float] | None = None
        self._stamp_s = 0.0
        self._tasks = ServiceCaller(client.node, srv.ListTasks, 'memory/tasks', repeatable=True)
        self._prohibitions = ServiceCaller(client.node, PROHIBITIONS.kind, 'action/prohibitions', repeatable=True)
        self._topics = topics = TopicReader(client.node, 'watcher', period_s=self._gap_s, after_look=self._tell_joints)
        topics.subscribe(msg.TableState, 'perception/objects', self._on_table, _NEWEST, raw=True)
        topics.subscribe(msg.Observation, TOPIC, self._on_observation, OBSERVATIONS_QOS)
        topics.subscribe(msg.Utterance, 'speech/heard', partial(self._on_said, by_robot=False), _ALL)
        topics.subscribe(msg.Utterance, 'speech/say', partial(self._on_said, by_robot=True), _ALL)
        topics.subscribe(DiagnosticArray, 'diagnostics', self._on_diagnostics, _ALL)
        topics.start()

    def watch(self, wanted: Collection[str]) -> None:
        """Requests those of JOINTS (with planned paths) and PICTURES that are wanted, and ends the others."""
        for name in (JOINTS, PICTURES):
            if name in wanted and name not in self._watched:
                self._watched[name] = self._subscriptions(name)
            elif name not in wanted:
                for subscription in self._watched.pop(name, ()):
                    self._topics.unsubscribe(subscription)

    def close(self) -> None:
        """Ends the reception."""
        self._topics.close()

    def _subscriptions(self, name: str) -> list[Subscription]:
        subscribe = self._topics.subscribe
        if name == PICTURES:
            topic = 'perception/annotated/compressed'
            return [subscribe(CompressedImage, topic, self._on_picture, _NEWEST_PICTURE, raw=True)]
        paths = [
            subscribe(JointTrajectory, f'{controller}/joint_trajectory', partial(self._on_path, arm), _ALL)
            for controller, arm in self._arms.items()
        ]
        return [subscribe(JointState, 'joint_states', self._on_joints, _JOINT_STATES), *paths]

    def ask_tasks(self) -> None:
        """Asks the worker for the state of the tasks; does nothing if it gives no answer."""
        try:
            states = TASK_STATES.from_msg(self._tasks.ask(srv.ListTasks.Request(), _ASKED_S))
        except (StackError, ValueError) as error:
            _LOG.info('the tasks are not known now: %s', error)
            return
        self._tell(TasksKnown(tasks=states), time.time())

    def ask_prohibitions(self) -> None:
        """Asks the action node what is prohibited. If it gives no answer, that is told."""
        try:
            reply = self._prohibitions.ask(PROHIBITIONS.request.to_msg(ProhibitionRequest()), _ASKED_S)
            known = ProhibitionsKnown(prohibitions=PROHIBITIONS.answer_from_msg(reply).prohibitions)
        except (StackError, MemoryFault, ValueError) as error:
            known = ProhibitionsKnown(unknown=str(error))
        self._tell(known, time.time())

    def _tell(self, value: Observable, wall_s: float, *, stamp_s: float = -1.0) -> None:
        if stamp_s >= 0:
            self._stamp_s = stamp_s
        self._take(Event(wall_s=wall_s, stamp_s=self._stamp_s, value=value))

    def _is_due(self, kind: str) -> bool:
        now_s = time.monotonic()
        if now_s - self._newest_s.get(kind, 0.0) < self._gap_s:
            return False
        self._newest_s[kind] = now_s
        return True

    def _on_table(self, table: bytes, info: Info) -> None:
        # Decoded only if it is shown, as decoding is most of the work.
        if not self._is_due('scene'):
            return
        try:
            snapshot = snapshot_from_msg(deserialize_message(table, msg.TableState))
        except ValueError as error:
            _LOG.warning('a snapshot cannot be used: %s', error)
            return
        self._tell(SceneSeen(snapshot=snapshot), received_s(info), stamp_s=snapshot.stamp_s)

    def _on_joints(self, state: JointState, info: Info) -> None:
        # A message may have only some of the joints, and NaN for a joint without a position, which JSON cannot
        # represent.
        told = zip(state.name, map(float, state.position), strict=False)
        self._joints.update({name: position for name, position in told if math.isfinite(position)})
        self._joints_seen = (received_s(info), time_from_msg(state.header.stamp))

    def _tell_joints(self) -> None:
        if self._joints_seen is not None and self._is_due('joints'):
            wall_s, stamp_s = self._joints_seen
            self._joints_seen = None
            self._tell(JointsSeen(positions=dict(self._joints)), wall_s, stamp_s=stamp_s)

    def _on_picture(self, packed: bytes, info: Info) -> None:
        if not self._is_due('picture'):
            return
        image = deserialize_message(packed, CompressedImage)
        # A few bytes may claim to be as large as a billion pixels, which a browser would draw.
        jpeg = bytes(image.data) if len(image.data) <= _MOST_PICTURE_BYTES else b''
        if not 0 < pixels_of(jpeg) <= MOST_PIXELS:
            _LOG.warning('a picture in %r of %d bytes cannot be shown', image.format[:20], len(image.data))
            return
        text = base64.b64encode(jpeg).decode()
        self._tell(PictureSeen(jpeg_base64=text), received_s(info), stamp_s=time_from_msg(image.header.stamp))

    def _on_observation(self, message: msg.Observation) -> None:
        try:
            told = OBSERVATION.from_msg(message)
            value = from_json(told.kind, told.json)
        except (RecordingError, ValueError) as error:
            _LOG.warning('an observation from %s cannot be used: %s', message.node[:40], error)
            return
        self._tell(value, told.wall_s, stamp_s=told.stamp_s)

    def _on_said(self, said: msg.Utterance, info: Info, *, by_robot: bool) -> None:
        self._tell(Said(by_robot=by_robot, person=said.person, text=said.text), received_s(info))

    def _on_diagnostics(self, array: DiagnosticArray, info: Info) -> None:
        for status in array.status:
            values = tuple((item.key, item.value) for item in status.values)
            level = _LEVELS.get(status.level, 'error')
            found = Diagnosed(part=status.name, level=level, message=status.message, values=values)
            # Repeated only after a change or some time, as most of it stays the same all day.
            if self._diagnosed.get(found.part) != found and (
                self._changed(found) or self._is_due(f'diagnosed {found.part}')
            ):
                self._diagnosed[found.part] = found
                self._tell(found, received_s(info))

    def _changed(self, found: Diagnosed) -> bool:
        before = self._diagnosed.get(found.part)
        return before is None or (before.level, before.message) != (found.level, found.message)

    def _on_path(self, arm: str, path: JointTrajectory, info: Info) -> None:
        times = tuple(point.time_from_start.sec + point.time_from_start.nanosec / 1e9 for point in path.points)
        positions = tuple(tuple(map(float, point.positions)) for point in path.points)
        if not all(math.isfinite(position) for row in positions for position in row):
            # A recording is read up to what JSON cannot represent.
            _LOG.warning('a planned path of the %s arm cannot be used: a position is not finite', arm)
            return
        self._tell(
            PathPlanned(arm=arm, joints=tuple(path.joint_names), times_s=times, positions=positions), received_s(info)
        )
