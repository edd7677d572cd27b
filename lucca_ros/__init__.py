"""The few ROS helpers that all nodes share. Imports rclpy, messages and lucca_core; nothing else of lucca."""
