"""Messages on `diagnostics`: the state of one part of the stack, named `lucca: PART` in every node."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

DIAGNOSTICS = 'diagnostics'
"""The topic."""
_OURS = 'lucca: '
PERIOD_S = 1.0
"""Wall time between two reports of a node."""
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


def diagnostic_msg(
    part: str,
    message: str,
    values: Mapping[str, object],
    *,
    stamp: Time,
    level: bytes = OK,
    hardware_id: str = '',
) -> DiagnosticArray:
    """The state of a part.

    Args:
        part: name of the node, or of what it stands for.
        message: the state in a few words.
        values: details by name.
        stamp: the present ROS time.
        level: OK, WARN or ERROR.
        hardware_id: what the part depends on, such as a camera.
    """
    status = DiagnosticStatus(
        level=level,
        name=f'{_OURS}{part}',
        message=message,
        hardware_id=hardware_id,
        values=[KeyValue(key=name, value=str(value)) for name, value in values.items()],
    )
    msg = DiagnosticArray(status=[status])
    msg.header.stamp = stamp
    return msg


def part_in(array: DiagnosticArray, part: str) -> str | None:
    """The state of a part in a message, in its few words; None if the message is not about it."""
    return next((str(status.message) for status in array.status if status.name == f'{_OURS}{part}'), None)


class PartReport(NamedTuple):
    """What a part reports: its level, its state in a few words, and details by name."""

    level: bytes
    message: str
    values: Mapping[str, str]


def parts_in(array: DiagnosticArray) -> dict[str, PartReport]:
    """The report of each of our parts in a message, by the part's name."""
    ours = (status for status in array.status if status.name.startswith(_OURS))
    return {
        status.name.removeprefix(_OURS): PartReport(
            status.level, str(status.message), {str(item.key): str(item.value) for item in status.values}
        )
        for status in ours
    }


def diagnose_every(
    node: Node, diagnose: Callable[[], None], *, period_s: float = PERIOD_S, group: CallbackGroup | None = None
) -> Timer:
    """Calls `diagnose` in every period of wall time. If a simulator has died, its clock stands still: that too has to
    be reported."""
    return node.create_timer(period_s, diagnose, group, Clock(clock_type=ClockType.STEADY_TIME))
