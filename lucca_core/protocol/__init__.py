"""The values that nodes and the command exchange, one module a family. Each is defined here and nowhere else; how it becomes a
ROS message is in `lucca_ros/conversions`.
"""
