"""The network's graph as arrays in memory (`network.py`), and the changes applied to it (`change.py`)."""
