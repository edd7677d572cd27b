"""Attacks: randomised tests that try to break the guarantees lucca gives.

Each attack is one module in this package and one line in `registry.py`. `lucca attack` runs any number of trials,
`make test` a sample of each, `make soak` the full count. Attacks in `running/` need ROS and run against nodes.
"""
