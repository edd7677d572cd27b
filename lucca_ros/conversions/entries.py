"""Entries of declarative logs, and their acknowledgement."""

from lucca_interfaces.msg import Entry

from lucca_core.protocol.entries import EntryRequest
from lucca_ros.conversions.conversion import mirrored, nested
from lucca_ros.conversions.snapshots import SNAPSHOT

ENTRY = mirrored(EntryRequest, Entry, {'table': nested(SNAPSHOT, 'snapshot')})
