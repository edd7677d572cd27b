"""The worker's desk for people: who speaks in which conversation, and what memory has for them.

`services.py` speaks ROS; `desk.py` answers, `opening.py` puts it together from lucca_memory.
"""
