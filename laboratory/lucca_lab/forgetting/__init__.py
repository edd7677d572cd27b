"""The forgetting experiment: scenarios with ground truth, rival memories, scores, and training of the policy.

It uses `lucca_memory`, `lucca_llm` and `lucca_core`, and needs no ROS.
"""
