"""Attacks on running nodes: real ROS, in a domain of their own and only on this machine."""
