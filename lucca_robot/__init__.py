"""The robot's description: its profile, its URDF, forward kinematics and a MuJoCo model.

The package imports only lucca_core. The simulator, perception (to mask the robot) and the action node use it.
"""
