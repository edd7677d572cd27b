"""A long run of a whole stack, and how its memory, threads, files and databases grow with the goals."""
