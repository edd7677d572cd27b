"""Speech experiments with synthetic voices in a simulated room, and training of the stop spotter."""
