"""The robot's description: its profile, its URDF, forward kinematics and a MuJoCo model.

Imports lucca_core. The simulator, perception (to mask the robot) and the action node use it.
"""
