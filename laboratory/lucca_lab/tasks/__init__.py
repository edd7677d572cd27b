"""The experiments of "Robots Can Multitask Too" (section IV) on a symbolic table, and extensions of them.

They run the real task loop, worker, parser, gate and logs. The package may import everything below lucca_cli.
"""
