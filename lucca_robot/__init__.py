"""The robot as data: its profile, its URDF, plain forward kinematics and its MuJoCo model.

Imports lucca_core. The simulator, perception (to mask the robot) and the action node stand on it.
"""
