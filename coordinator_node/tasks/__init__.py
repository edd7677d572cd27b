"""Tasks: the loop of steps, and the parts of a step from understanding to outcome."""
