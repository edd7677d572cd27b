"""The table as physics: one scene description -> MuJoCo, -> a kinematic table for fast tests, and -> SDF for Gazebo.

May import lucca_robot and lucca_core. Only `node.py` and `conversions.py` know ROS. What the simulator publishes is what a
real robot would: pictures, joint states and the clock. The poses of objects leave it only in the trace that is written
for whoever judges a run afterwards.
"""
