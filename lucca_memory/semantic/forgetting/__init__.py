"""Forgetting: the importance of nodes, and the passes that put away, compress or restore them."""
