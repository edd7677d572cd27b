"""The `lucca` command. Only `bringup.py` and `client.py` touch ROS; the rest is options, output and the demo's script."""
