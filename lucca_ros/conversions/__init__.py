"""Conversions between ROS messages and the values of `lucca_core.protocol`, one per message, in both directions.

`from_msg` raises ValueError for a message that cannot be used.
"""
