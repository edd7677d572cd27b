"""Recordings: one session in MCAP files, written, read, cut by size, and rewritten when somebody is to be forgotten."""
