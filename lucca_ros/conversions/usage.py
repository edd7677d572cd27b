"""Conversion of the cost of calls to a language model."""

from lucca_interfaces.msg import ModelUsage as ModelUsageMsg

from lucca_core.protocol.usage import ModelUsage
from lucca_ros.conversions.conversion import mirrored

USAGE = mirrored(ModelUsage, ModelUsageMsg)
