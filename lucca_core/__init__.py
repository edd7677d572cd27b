"""Values and errors that every part of lucca shares. Plain Python: imports nothing else of lucca and no ROS."""
