"""Perception: detects objects and containers in colour and depth images and gives them stable ids.

`pipeline.py` turns frames into snapshots without ROS; only the node, its conversions, `camera_frames.py` and
`displays.py` use ROS. The package may import lucca_core and lucca_robot, and no other node package.
"""
