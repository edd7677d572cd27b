"""Runs of the real planner on the physical table, without nodes: drawn from a seed, disturbed, recorded, doctored.

They serve to test the judges. A run takes a few seconds of processor time, a tenth of a run with nodes.
"""
