"""Tasks: the loop of steps, and what a step rests on, from what was understood to how it ended."""
