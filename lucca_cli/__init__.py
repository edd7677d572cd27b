"""The `lucca` command: `commands/` has one module for each command; the other modules are shared by them."""
