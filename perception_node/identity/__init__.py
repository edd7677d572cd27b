"""Identities over time: which detection is which object, in which container or hand, and what is hidden or gone."""
