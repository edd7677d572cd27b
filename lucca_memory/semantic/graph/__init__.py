"""The network as arrays in memory (`network.py`), and the values that it is changed with (`change.py`)."""
