"""Identities over time: which detection is which object, in which container or hand, hidden or gone."""
