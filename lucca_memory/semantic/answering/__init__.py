"""Answering questions from the network: finding statements, ordering them, and marking outdated ones."""
