"""Reasons: talks with people and runs tasks with the coordinator's language model.

Plain parts import lucca_core, lucca_llm and lucca_memory. `node.py` and `conversions.py` alone import ROS.
"""
