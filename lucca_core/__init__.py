"""Values and errors shared by every part of lucca. Plain Python: imports neither ROS nor other lucca packages."""
