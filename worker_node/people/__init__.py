"""The worker's desk for people: who speaks in which conversation, and what memory holds for them.

`services.py` speaks ROS, `desk.py` answers, and `opening.py` builds the desk from lucca_memory.
"""
