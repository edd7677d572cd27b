"""The node `relay` between the action node and a controller that cannot follow stamped trajectories."""
