"""What was done: one log file a task, in which nothing that was acknowledged is ever lost (`log.py`)."""
