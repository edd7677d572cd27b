"""Plans: which calls are left for what a text asks, with which objects, and in which order."""
