"""The emergency stop: the valve before the controllers, and the stop marker on the disk. Imports lucca_core only."""
