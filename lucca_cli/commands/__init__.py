"""The commands of `lucca`, one module for each."""
