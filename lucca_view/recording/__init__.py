"""Recordings: one session in MCAP files, written, read, split by size, and rewritten to forget somebody."""
