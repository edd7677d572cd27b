"""The robot's memories: procedural (YAML), working, declarative (task logs), people, facts and a concept network.

Plain Python: imports lucca_core only, no ROS and no language model.
"""
