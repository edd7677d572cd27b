"""Conversions between ROS messages and the values of `lucca_core.protocol`, one for each message, both ways.

`from_msg` refuses a message that cannot be used by raising ValueError.
"""
