"""The values that nodes and the command exchange, with one module for each family of values.

Each value is defined only here; `lucca_ros/conversions` converts them to and from ROS messages.
"""
