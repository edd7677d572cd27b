"""Every kind of memory, one file a kind: what tasks and actions are, what was done, what matters now.

Plain Python: imports lucca_core only, no ROS and no language model.
"""
