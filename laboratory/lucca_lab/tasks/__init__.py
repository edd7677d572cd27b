"""The experiments of "Robots Can Multitask Too" (section IV) on a symbolic table, and extensions of them.

Runs the real task loop, worker, parser, gate and logs. May import everything below lucca_cli.
"""
