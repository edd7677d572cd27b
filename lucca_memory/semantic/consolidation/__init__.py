"""Consolidation: adding statements to the network, and superseding older ones."""
