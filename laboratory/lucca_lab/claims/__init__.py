"""The published figures: the page of each, the command that reproduces it, and what that printed last."""
