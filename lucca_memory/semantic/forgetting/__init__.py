"""How important each node is, and what a forgetting pass puts away, compresses or brings back."""
