"""Reading: descriptions in controlled English become programs (what to do with which objects, in which order)."""
