"""Attacks on running nodes: real ROS, on a domain of their own and on this machine only."""
