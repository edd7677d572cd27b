"""Runs of the real planner on the physical table, without nodes: drawn from a seed, disturbed, recorded, doctored.

They are what the judges are tried on. A run costs a few seconds of processor time, a tenth of one with nodes.
"""
