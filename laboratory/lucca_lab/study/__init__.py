"""The user study of conversations with and without memory: blind sessions, statistics and published results.

Only the sessions need a model. The package may import everything below lucca_cli.
"""
