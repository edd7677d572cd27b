"""Attacks: randomised tests that try to break the promises of lucca.

Each attack is one module in this package and one line in `registry.py`. `lucca attack` runs any number of trials,
`make test` a sample of each attack, `make soak` the full number. Attacks in `running/` need ROS and run against nodes.
"""
