"""The worker: the only writer of memory, and the one that reads it out through its own language model.

`node.py` and `conversions.py` speak ROS; the rest is plain Python and calls lucca_memory, lucca_llm and lucca_core.
"""
