"""The `lucca` command. Only `bringup.py`, `client.py` and `voice_client.py` touch ROS; the rest is options, output and the demo's script."""
