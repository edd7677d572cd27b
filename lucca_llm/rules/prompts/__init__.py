"""What a prompt says: calls, tasks, the table, what was said, and names as they are written there."""
