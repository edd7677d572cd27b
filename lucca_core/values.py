"""Other names for values of `lucca_core.protocol`, until every import has moved there."""

from lucca_core.protocol.actions import ActionCall
from lucca_core.protocol.snapshots import HAND, TABLE, USERS_SIDE, Container, Pose, Snapshot, TableObject
from lucca_core.protocol.usage import ModelUsage

__all__ = ['HAND', 'TABLE', 'USERS_SIDE', 'ActionCall', 'Container', 'ModelUsage', 'Pose', 'Snapshot', 'TableObject']
