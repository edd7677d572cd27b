"""The measured memory systems: the rivals as their papers describe them, and ours."""
