"""Speech: what is heard and how fast a stop is, in synthetic voices and a simulated room; and the training of the stop spotter."""
