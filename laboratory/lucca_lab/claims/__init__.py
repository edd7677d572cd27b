"""The published figures: where each stands, the command that gives it, and what that printed last."""
