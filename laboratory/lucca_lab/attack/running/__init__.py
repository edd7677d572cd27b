"""Attacks on nodes that run: real ROS, on a domain of their own and on this machine only."""
