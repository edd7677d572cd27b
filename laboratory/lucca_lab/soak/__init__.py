"""A long run of a whole stack, and the growth of its memory, threads, files and databases with the goals."""
