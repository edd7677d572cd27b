"""Conversion of what nodes report about their work."""

from lucca_interfaces import msg

from lucca_core.protocol.observations import Observation
from lucca_ros.conversions.conversion import mirrored
from lucca_ros.conversions.stamps import seconds

OBSERVATION = mirrored(Observation, msg.Observation, {'stamp': seconds('stamp_s')})
