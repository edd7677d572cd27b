"""Controlled English: its words, and the reading of sentences about objects on a table. Imports lucca_core only."""
