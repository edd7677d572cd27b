"""Perception: detects objects and containers in colour and depth images and gives them stable ids.

`pipeline.py` turns frames into snapshots without ROS; only `node.py` and `conversions.py` import it. May call
lucca_core and lucca_robot; no other node package.
"""
