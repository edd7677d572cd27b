"""Conversions between ROS messages and the entries of task logs, with their acknowledgement."""

from lucca_interfaces.msg import Entry
from lucca_interfaces.srv import Record

from lucca_core.protocol.entries import Acknowledged, EntryRequest
from lucca_ros.conversions.conversion import Conversion, Service, answered, mirrored, nested
from lucca_ros.conversions.snapshots import SNAPSHOT

ENTRY = mirrored(EntryRequest, Entry, {'table': nested(SNAPSHOT, 'snapshot')})

RECORD = Service(
    Record,
    Conversion(
        EntryRequest,
        Record.Request,
        lambda entry: Record.Request(entry=ENTRY.to_msg(entry)),
        lambda msg: ENTRY.from_msg(msg.entry),
    ),
    answered(Acknowledged, Record.Response, 'acknowledged'),
)
