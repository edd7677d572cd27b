"""How well a memory knows what has changed: valid values, outdated ones, history, order, and what was closed wrongly."""
