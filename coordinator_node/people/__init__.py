"""The coordinator's side of the memory of people: what it asks (`ports.py`), and over ROS (`node.py`)."""
