"""Where the network survives: one protocol, its SQL for SQLite and PostgreSQL, and a file of arrays beside the rows."""
