"""Motion planning, without ROS: from a request and a snapshot to collision-checked trajectories."""
