"""Forgetting experiment: scenarios with ground truth, rival memories, scores, and training of the policy.

Calls `lucca_memory`, `lucca_llm` and `lucca_core`; needs no ROS.
"""
