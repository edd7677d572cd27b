"""What of the network answers a question, in which order, and what of it may be outdated."""
