"""Events: everything that is seen of a session, with the topic under which each kind is recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lucca_core.protocol.observations import (
    ActionEnded,
    GateDecision,
    GoalNews,
    LogEntry,
    MemoryMisread,
    Observable,
)
from lucca_core.protocol.prohibitions import Prohibition
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.protocol.tasks import TaskState
from lucca_llm.exchange import ModelExchange


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """The header of a recording; the first event of each file.

    Attributes:
        robot: profile of the robot, as `load_profile` takes it.
        namespace: namespace of the robot.
        pictures: whether camera pictures were requested.
        number: number of the file, from 0; a long session is split into several files.
    """

    KIND: ClassVar[str] = 'session'

    lucca_version: str
    robot: str
    namespace: str = '/'
    pictures: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSeen:
    """A snapshot of perception."""

    KIND: ClassVar[str] = 'scene'

    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class JointsSeen:
    """Positions of the joints by name, in rad or m."""

    KIND: ClassVar[str] = 'joints'

    positions: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSeen:
    """A camera picture with the detections drawn in: a JPEG, as base64."""

    KIND: ClassVar[str] = 'picture'

    jpeg_base64: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPlanned:
    """The planned path of an arm: positions of its joints at times from now, in s."""

    KIND: ClassVar[str] = 'path'

    arm: str
    joints: tuple[str, ...]
    times_s: tuple[float, ...]
    positions: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksKnown:
    """The state of every task that the worker knows."""

    KIND: ClassVar[str] = 'tasks'

    tasks: tuple[TaskState, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProhibitionsKnown:
    """The prohibitions that hold; with `unknown`, the reason for which it is not known which hold.

    They are shown on a page, but never recorded.
    """

    KIND: ClassVar[str] = 'prohibitions'

    prohibitions: tuple[Prohibition, ...] = ()
    unknown: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryNode:
    """A node of the semantic network, with the values that decide whether it is kept.

    Attributes:
        node: its name, such as node:17.
        valid_to: when something newer replaced it, in ISO 8601; empty while it holds.
        importance: the least important nodes are forgotten first; computed from recency, frequency and centrality,
            each 0 to 1.
    """

    node: str
    kind: str
    text: str
    speaker: str
    valid_to: str
    pinned: bool
    importance: float
    recency: float
    frequency: float
    centrality: float


@dataclass(frozen=True, slots=True)
class MemoryEdge:
    """A relation between two nodes, given by their names. `kind`: mentions, supersedes, follows or related."""

    a: str
    b: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenMemory:
    """A node that was put away and can be restored for some time.

    Attributes:
        fate: pruned, compressed or by hand.
        reason: why it was put away.
        time: when, in ISO 8601.
        into: the node that it was compressed into; empty for none.
    """

    node: str
    text: str
    fate: str
    reason: str
    time: str
    into: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySeen:
    """The semantic network: nodes, most important first, their relations, and forgotten nodes, newest first.

    It is shown on a page, but never recorded.
    """

    KIND: ClassVar[str] = 'memory'

    nodes: tuple[MemoryNode, ...]
    edges: tuple[MemoryEdge, ...] = ()
    forgotten: tuple[ForgottenMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something heard from a person or said by the robot. Text only: sound is never recorded."""

    KIND: ClassVar[str] = 'said'

    by_robot: bool
    person: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """The state of one part of the stack. `level`: ok, warn, error or stale."""

    KIND: ClassVar[str] = 'diagnosed'

    part: str
    level: str
    message: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A value with its times: wall time in s since the epoch, and ROS time in s."""

    wall_s: float
    stamp_s: float
    value: Observable


KINDS: Mapping[str, type[Observable]] = {
    kind.KIND: kind
    for kind in (
        SessionInfo,
        SceneSeen,
        JointsSeen,
        PictureSeen,
        PathPlanned,
        TasksKnown,
        ProhibitionsKnown,
        MemorySeen,
        Said,
        Diagnosed,
        ModelExchange,
        GateDecision,
        ActionEnded,
        GoalNews,
        LogEntry,
        MemoryMisread,
    )
}
"""Every kind of event. In a recording, its topic is `/lucca/KIND` and its schema `lucca.KIND`."""

STATES = frozenset({'session', 'scene', 'joints', 'picture', 'tasks', 'diagnosed'})
"""Kinds whose newest event replaces earlier ones. One event of each is enough to draw the scene."""

TOLD = frozenset({'exchange', 'gate', 'action', 'goal', 'entry', 'misread'})
"""Kinds that nodes publish with the time of publication. Other kinds get the time of receipt."""
