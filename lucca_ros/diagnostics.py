"""Messages on `diagnostics`: the state of one part of the stack, named `lucca: PART` in every node."""

from collections.abc import Mapping

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

DIAGNOSTICS = 'diagnostics'
"""The topic."""
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
        name=f'lucca: {part}',
        message=message,
        hardware_id=hardware_id,
        values=[KeyValue(key=name, value=str(value)) for name, value in values.items()],
    )
    msg = DiagnosticArray(status=[status])
    msg.header.stamp = stamp
    return msg
