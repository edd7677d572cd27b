"""The `lucca` command: `commands/` holds one module a command, the rest is what they share."""
