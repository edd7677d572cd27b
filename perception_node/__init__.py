"""Sees: detects objects and containers in colour and depth images and gives them stable ids.

`pipeline.py` turns frames into snapshots without ROS; `node.py` and `conversions.py` are the only files here that import
it. May call lucca_core and lucca_robot; no other node package.
"""
