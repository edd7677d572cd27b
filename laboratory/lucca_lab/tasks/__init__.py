"""The experiments of "Robots Can Multitask Too" (section IV) on a symbolic table, and those that go beyond it.

Drives the coordinator's task loop, the worker, parser, gate and logs themselves; may call everything below lucca_cli.
"""
