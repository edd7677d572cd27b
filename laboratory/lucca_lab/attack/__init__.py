"""Attacks on what lucca promises: each part names a promise, draws inputs against it, and checks that it held.

A part is one module beside this one and one line in `parts.py`. `lucca attack` runs it in any length; `make test` runs a sample
of each, `make soak` its full count. Parts in `running/` attack nodes and need ROS.
"""
