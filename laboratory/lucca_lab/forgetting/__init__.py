"""How well a memory forgets: scenarios with known truth, rival memories, scores, and learning of the policy.

Calls `lucca_memory`, `lucca_llm` and `lucca_core`; needs no ROS.
"""
