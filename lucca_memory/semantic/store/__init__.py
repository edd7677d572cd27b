"""The store of the network: its rows in SQLite or PostgreSQL, and a file of arrays beside them for a fast start."""
