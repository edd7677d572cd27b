"""Motions planned: from a request and a snapshot to trajectories that were checked against everything in the way. Knows no ROS."""
