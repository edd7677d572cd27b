"""The values that nodes and the command exchange, one module a family.

Each is defined here and nowhere else; `lucca_ros/conversions` turns them into ROS messages and back.
"""
