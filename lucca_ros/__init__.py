"""ROS helpers that all nodes share. They import rclpy, messages and lucca_core, and nothing else of lucca."""
