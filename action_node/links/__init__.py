"""The action node's links to the other nodes."""
