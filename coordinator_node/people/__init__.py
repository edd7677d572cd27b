"""The coordinator's access to the memory of people: the interface, and its client over ROS services."""
