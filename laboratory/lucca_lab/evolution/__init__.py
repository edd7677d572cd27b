"""The knowledge-evolution experiment: current and outdated values, their history and order, and wrong updates."""
