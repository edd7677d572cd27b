"""The coordinator's links to the other nodes."""
