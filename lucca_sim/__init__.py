"""The simulator: a table with objects and a robot, in MuJoCo physics, in a fast kinematic version, or as SDF.

The SDF world is for Gazebo. The package may import lucca_robot and lucca_core; only the nodes and `conversions.py` use
ROS. The simulator publishes what a real robot would: images, joint states and the clock. True object poses leave it
only in the trace, for judging a run afterwards.
"""
