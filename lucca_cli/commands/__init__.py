"""The commands of `lucca`, one module a command."""
