"""Every kind of memory, a file or a room a kind: tasks and actions, what was done, what matters now, people, facts,
concepts; and how it is found again.

Plain Python: imports lucca_core only, no ROS and no language model.
"""
